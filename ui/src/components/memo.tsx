/** A component that is drawn again only when its properties say something else. */
import { Component, type ComponentType, type VNode } from "preact";

export function memo<P extends object>(
  Inner: ComponentType<P>,
  same: (a: Readonly<P>, b: Readonly<P>) => boolean = shallowEqual,
): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !same(this.props, next);
    }

    override render(): VNode {
      return <Inner {...(this.props as P)} />;
    }
  };
}

function shallowEqual<P extends object>(a: Readonly<P>, b: Readonly<P>): boolean {
  const names = Object.keys(a) as (keyof P)[];
  return names.length === Object.keys(b).length && names.every((name) => Object.is(a[name], b[name]));
}
