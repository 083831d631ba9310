const delays = { slow: 12, quick: 2 };

export async function read(name) {
  await new Promise((resolve) => setTimeout(resolve, delays[name]));
  return `${name} news`;
}
