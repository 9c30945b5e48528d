export { decode, draw, element, make, short } from './dom';
export { commonBeginning, nameElement } from './names';
export { Rows } from './rows';
export { followTheme, theme, type Theme } from './theme';
export { curvesOfRoom, poseAt, Timeline, type Curve, type Room, type TimeEvent, type Track } from './timeline';
export { COLOURS, Viewer } from './viewer';
export type { NamedFrame } from './frames';
export type { Arrow, Axis, Body, Frame, GizmoMode, Look, Mark, Quat, Shape, Vec3, Volume } from './viewer';
import './common.css';
