// Which characters are no part of a word: written down, so that it is the same on every store and does not change with a version of Unicode.

/** Ranges of code points, in hexadecimal. */
type Ranges = readonly (readonly [from: number, to: number])[];

/** Punctuation, symbols, spaces and controls: they stand between words. */
export const separators: Ranges = rangesIn(
  '1-2f 3a-40 5b-60 7b-a9 ab-ac ae-b1 b4 b6-b8 bb bf d7 f7 2c2-2c5 2d2-2df 2e5-2eb 2ed 2ef-2ff 375 37e 384-385 387 3f6 482 55a-55f ' +
    '589-58f 5be 5c0 5c3 5c6 5f3-60f 61b-61f 66a-66d 6d4 6dd-6de 6e9 6fd-6fe 700-70f 7f6-7f9 7fe-7ff 830-83e 85e 888 890-891 8e2 ' +
    '964-965 970 9f2-9f3 9fa-9fb 9fd a76 af0-af1 b70 bf3-bfa c77 c7f c84 d4f d79 df4 e3f e4f e5a-e5b f01-f17 f1a-f1f f34 f36 f38 ' +
    'f3a-f3d f85 fbe-fc5 fc7-fda 104a-104f 109e-109f 10fb 1360-1368 1390-1399 1400 166d-166e 1680 169b-169c 16eb-16ed 1735-1736 ' +
    '17d4-17d6 17d8-17db 1800-180a 180e 1940-1945 19de-19ff 1a1e-1a1f 1aa0-1aa6 1aa8-1aad 1b4e-1b4f 1b5a-1b6a 1b74-1b7f 1bfc-1bff ' +
    '1c3b-1c3f 1c7e-1c7f 1cc0-1cc7 1cd3 1fbd 1fbf-1fc1 1fcd-1fcf 1fdd-1fdf 1fed-1fef 1ffd-200a 200e-205f 2061-206f 207a-207e 208a-208e ' +
    '20a0-20c1 2100-2101 2103-2106 2108-2109 2114 2116-2118 211e-2123 2125 2127 2129 212e 213a-213b 2140-2144 214a-214d 214f 218a-244a ' +
    '249c-24e9 2500-2775 2794-2bff 2ce5-2cea 2cf9-2cfc 2cfe-2cff 2d70 2e00-2e2e 2e30-3004 3008-3020 3030 3036-3037 303d-303f 309b-309c ' +
    '30a0 30fb 3190-3191 3196-319f 31c0-31ef 3200-321e 322a-3247 3250 3260-327f 328a-32b0 32c0-33ff 4dc0-4dff a490-a4c6 a4fe-a4ff ' +
    'a60d-a60f a673 a67e a6f2-a716 a720-a721 a789-a78a a828-a82b a836-a839 a874-a877 a8ce-a8cf a8f8-a8fa a8fc a92e-a92f a95f a9c1-a9cd ' +
    'a9de-a9df aa5c-aa5f aa77-aa79 aade-aadf aaf0-aaf1 ab5b ab6a-ab6b abeb e000-f8ff fb29 fbb2-fbd2 fd3e-fd4f fd90-fd91 fdc8-fdcf ' +
    'fdfc-fdff fe10-fe19 fe30-fe6b feff-ff0f ff1a-ff20 ff3b-ff40 ff5b-ff65 ffe0-fffd 10100-10102 10137-1013f 10179-10189 1018c-101fc ' +
    '1039f 103d0 1056f 10857 10877-10878 1091f 1093f 10a50-10a58 10a7f 10ac8 10af0-10af6 10b39-10b3f 10b99-10b9c 10d6e 10d8e-10d8f ' +
    '10ead 10ed0-10ed8 10f55-10f59 10f86-10f89 11047-1104d 110bb-110c1 110cd 11140-11143 11174-11175 111c5-111c8 111cd 111db ' +
    '111dd-111df 11238-1123d 112a9 113d4-113d8 1144b-1144f 1145a-1145d 114c6 115c1-115d7 11641-11643 11660-1166c 116b9 1173c-1173f ' +
    '1183b 11944-11946 119e2 11a3f-11a46 11a9a-11a9c 11a9e-11aa2 11b00-11b09 11be1 11c41-11c45 11c70-11c71 11ef7-11ef8 11f43-11f4f ' +
    '11fd5-11fff 12470-12474 12ff1-12ff2 13430-1343f 16a6e-16a6f 16af5 16b37-16b3f 16b44-16b45 16d6d-16d6f 16e97-16e9a 16fe2 1bc9c ' +
    '1bc9f-1ccef 1ccfa-1cef0 1cf50-1d164 1d16a-1d16c 1d173-1d17a 1d183-1d184 1d18c-1d1a9 1d1ae-1d241 1d245 1d300-1d356 1d6c1 1d6db ' +
    '1d6fb 1d715 1d735 1d74f 1d76f 1d789 1d7a9 1d7c3 1d800-1d9ff 1da37-1da3a 1da6d-1da74 1da76-1da83 1da85-1da8b 1e14f 1e2ff 1e5ff ' +
    '1e95e-1e95f 1ecac 1ecb0 1ed2e 1eef0-1f0f5 1f10d-1fbef 1fbfa e0001-e007f f0000-10fffd',
);

/** Accents, the points of Hebrew, the dots below Indic letters, hyphens and joiners that nobody sees: words are the same without them. */
export const ignorable: Ranges = rangesIn(
  'ad 300-36f 483-487 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 64b-655 670 93c 951-954 9bc a3c abc b3c c3c cbc 1ab0-1aeb 1cd0-1cd2 1cd4-1ce0 ' +
    '1ce2-1ce8 1ced 1cf4 1cf8-1cf9 1dc0-1dff 200b-200d 2060 20d0-20f0 302a-302d 3099-309a fe00-fe0f fe20-fe2d 101fd 102e0 1133b ' +
    '1cf00-1cf46 1d167-1d169 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad e0100-e01ef',
);

/** The inside of a bracket of a regular expression, of the language as of a database. */
export function bracketOf(ranges: Ranges): string {
  const written = (code: number): string => (code < 0xa0 ? `\\u${code.toString(16).padStart(4, '0')}` : String.fromCodePoint(code));
  return ranges.map(([from, to]) => (from === to ? written(from) : `${written(from)}-${written(to)}`)).join('');
}

export function rangesIn(text: string): Ranges {
  return text.split(' ').map((range) => {
    const [from = '', to = from] = range.split('-');
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const;
  });
}
