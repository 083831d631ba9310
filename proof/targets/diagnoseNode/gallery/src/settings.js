export const settings = { perPage: 4, columns: 2 };
