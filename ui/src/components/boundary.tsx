/** Component wrappers: `memo`, and error boundaries that retry as soon as their `of` changes. */
import { Component, type ComponentChildren, type ComponentType, type VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { t } from "../texts";
import { Fault } from "./controls";

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

interface ViewProps {
  of: unknown;
  /** another way out of the broken view */
  back?: { words: string; go: () => void } | undefined;
  children: ComponentChildren;
}

/** A view that shows an error and ways on when it fails to render. */
export function ViewBoundary({ of, back, children }: ViewProps) {
  const [tries, setTries] = useState(0);
  const attempt = useMemo(() => ({}), [of, tries]);
  const fallback = (
    <Fault>
      <p>{t("ui.broken")}</p>
      <button type="button" onClick={() => setTries(tries + 1)}>
        {t("ui.broken.again")}
      </button>
      {back && (
        <button type="button" onClick={back.go}>
          {back.words}
        </button>
      )}
    </Fault>
  );
  return (
    <Boundary of={attempt} fallback={fallback}>
      {children}
    </Boundary>
  );
}
