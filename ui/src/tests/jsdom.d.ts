/** The part of jsdom that the test of the built page uses; the package has no types. */
declare module "jsdom" {
  export class JSDOM {
    constructor(
      html: string,
      options: {
        url: string;
        runScripts: "dangerously";
        pretendToBeVisual?: boolean;
        virtualConsole?: VirtualConsole;
        beforeParse?: (window: Window) => void;
      },
    );
    readonly window: Window & typeof globalThis;
  }

  export class VirtualConsole {
    on(event: "jsdomError", listener: (error: Error) => void): void;
  }
}
