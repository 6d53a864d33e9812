// A model whose identifiers have the names of arguments that tools and fields have.

export const clashingNames = `module m
entity Release { version Int @id, title String }
entity Diff { changes String @id, title String }
entity File { path String @id, title String }
entity Folder { id Int @id }
entity Entry { path String @id, title String }
relationship Holds contains(Folder, Entry)
`;
