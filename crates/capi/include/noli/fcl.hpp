// The names of FCL 0.7 over noli: replace `#include <fcl/fcl.h>` by this header and link noli_c instead of fcl.
//
// Verdicts are exact for meshes, boxes, spheres, capsules and convex hulls; touching counts as a collision. Bounding volume
// types and solver types are accepted and select nothing: there is one tree and one solver. Needs Eigen 3 and C++14. What
// differs from FCL is listed in the book, page "C and C++".
#ifndef NOLI_FCL_HPP
#define NOLI_FCL_HPP

#ifdef FCL_FCL_H
#error "noli/fcl.hpp and fcl/fcl.h define the same names; include one of them"
#endif

#include "fcl/types.hpp"
#include "fcl/volumes.hpp"
#include "fcl/geometry.hpp"
#include "fcl/shapes.hpp"
#include "fcl/convex.hpp"
#include "fcl/bvh.hpp"
#include "fcl/volumes_of.hpp"
#include "fcl/objects.hpp"
#include "fcl/requests.hpp"
#include "fcl/narrow.hpp"
#include "fcl/motions.hpp"
#include "fcl/continuous.hpp"
#include "fcl/managers.hpp"
#include "fcl/solvers.hpp"

#endif
