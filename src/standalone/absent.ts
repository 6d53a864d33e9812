// Stands in for the commands that a built application does not have: nothing leads here, as its entry lets them not through.

export {};
