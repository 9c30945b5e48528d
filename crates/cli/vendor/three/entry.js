export {
  AmbientLight, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, EdgesGeometry, Group, HemisphereLight,
  LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, PerspectiveCamera, Quaternion, Raycaster, Scene,
  Sphere, Vector2, Vector3, WebGLRenderer, Points, PointsMaterial, CanvasTexture
} from 'three';
export { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
