import * as THREE from 'three';

/** What the view uses of a renderer. */
export type Renderer = THREE.WebGLRenderer;

/** Creates the renderer of a canvas; `null` if the browser has no WebGL 2. */
export function rendererOf(canvas: HTMLCanvasElement, antialias: boolean): Renderer | null {
  try {
    // The library reports the same by the console before it throws.
    if (!document.createElement('canvas').getContext('webgl2')) return null;
    return new THREE.WebGLRenderer({ canvas, antialias, alpha: true });
  } catch {
    return null;
  }
}

/** Draws nothing, so that everything else of a page works without WebGL. */
export function blankRenderer(): Renderer {
  const nothing = () => undefined;
  const blank = {
    info: { render: { calls: 0, triangles: 0 }, memory: { geometries: 0 } },
    clippingPlanes: [], localClippingEnabled: false,
    setPixelRatio: nothing, getPixelRatio: () => 1, setSize: nothing, render: nothing, getContext: () => null,
  };
  return blank as unknown as Renderer;
}
