import { a } from "b";
export interface Shape {
  area(): number;
}
@Component({
  selector: 'x'
})
export class Circle implements Shape {
  private r: number;
  constructor(r: number) {
    this.r = r;
  }
  area(): number {
    return Math.PI * this.r ** 2 / 1;
  }
  get name(): string {
    return `circle ${this.r > 1 ? `big}` : "small{"}`;
  }
}
export const make = async (r: number) => {
  const re = /[{"']/g;
  return new Circle(r);
};
export default function main() {
  console.log(make(1));
}
