export function playerFrom([name, points, penalty]) {
  return { name, points, penalty: Number(penalty) };
}
