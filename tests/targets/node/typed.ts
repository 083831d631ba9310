interface Point {
  readonly x: number;
  readonly y: number;
}

export function distance(from: Point, to: Point): number {
  return Math.hypot(from.x - to.x, from.y - to.y);
}

class Box<T> {
  readonly items: T[] = [];
  add(item: T): this {
    this.items.push(item);
    return this;
  }
  get size(): number {
    return this.items.length;
  }
}

const box = new Box<Point>().add({ x: 1, y: 2 }).add({ x: 4, y: 6 });
const [from, to] = box.items as [Point, Point];
console.log(distance(from, to), box.size);
throw new TypeError(`nothing fits ${box.size}`);
