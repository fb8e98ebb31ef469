/**
 * An error boundary: if drawing the children fails, the fallback stands in their place and the rest of the page goes
 * on. The children get another try as soon as `of` is something else, as a text that is still growing.
 */
import { Component, type ComponentChildren } from "preact";

interface Props {
  of: unknown;
  fallback: ComponentChildren;
  children: ComponentChildren;
}

const NONE = Symbol("none");

export class Boundary extends Component<Props, { failed: unknown }> {
  override state = { failed: NONE as unknown };

  override componentDidCatch(): void {
    this.setState({ failed: this.props.of });
  }

  override render(): ComponentChildren {
    return this.state.failed === this.props.of ? this.props.fallback : this.props.children;
  }
}
