// Broad phase: managers of many objects, with callbacks for the pairs whose boxes overlap.
#ifndef NOLI_FCL_MANAGERS_HPP
#define NOLI_FCL_MANAGERS_HPP

#include <algorithm>

#include "continuous.hpp"

namespace fcl {

// Called for a pair of objects; returns true to end the traversal.
template <typename S>
using CollisionCallBack = bool (*)(CollisionObject<S> *o1, CollisionObject<S> *o2, void *cdata);
// The same with the smallest distance so far, which the callback updates.
template <typename S>
using DistanceCallBack = bool (*)(CollisionObject<S> *o1, CollisionObject<S> *o2, void *cdata, S &dist);

// Interface of all managers.
template <typename S_>
class BroadPhaseCollisionManager {
 public:
  using S = S_;
  virtual ~BroadPhaseCollisionManager() {}
  virtual void registerObjects(const std::vector<CollisionObject<S> *> &others) {
    for (auto *object : others) registerObject(object);
  }
  virtual void registerObject(CollisionObject<S> *obj) = 0;
  virtual void unregisterObject(CollisionObject<S> *obj) = 0;
  virtual void setup() = 0;
  virtual void update() = 0;
  virtual void update(CollisionObject<S> *) { update(); }
  virtual void update(const std::vector<CollisionObject<S> *> &) { update(); }
  virtual void clear() = 0;
  virtual void getObjects(std::vector<CollisionObject<S> *> &objs) const = 0;
  virtual void collide(CollisionObject<S> *obj, void *cdata, CollisionCallBack<S> callback) const = 0;
  virtual void distance(CollisionObject<S> *obj, void *cdata, DistanceCallBack<S> callback) const = 0;
  virtual void collide(void *cdata, CollisionCallBack<S> callback) const = 0;
  virtual void distance(void *cdata, DistanceCallBack<S> callback) const = 0;
  virtual void collide(BroadPhaseCollisionManager<S> *other, void *cdata, CollisionCallBack<S> callback) const = 0;
  virtual void distance(BroadPhaseCollisionManager<S> *other, void *cdata, DistanceCallBack<S> callback) const = 0;
  virtual bool empty() const = 0;
  virtual std::size_t size() const = 0;
};

namespace detail {

// Objects in a tree of their boxes, split at the median of the longest edge. An update fits the boxes again; the tree is
// rebuilt when other objects are in it, or its boxes have grown to twice their size.
template <typename S_>
class TreeManager : public BroadPhaseCollisionManager<S_> {
 public:
  using S = S_;
  using Object = CollisionObject<S>;
  using BroadPhaseCollisionManager<S>::update;

  void registerObject(Object *obj) override {
    objects_.push_back(obj);
    built_ = false;
  }
  void unregisterObject(Object *obj) override {
    objects_.erase(std::remove(objects_.begin(), objects_.end(), obj), objects_.end());
    built_ = false;
  }
  void setup() override { build(); }
  void update() override { refit(); }
  void clear() override {
    objects_.clear();
    built_ = false;
  }
  void getObjects(std::vector<Object *> &objs) const override { objs = objects_; }
  bool empty() const override { return objects_.empty(); }
  std::size_t size() const override { return objects_.size(); }

  void collide(Object *obj, void *cdata, CollisionCallBack<S> callback) const override {
    const Tree &tree = ready();
    if (tree.nodes.empty()) return;
    tree.overlapping(0, obj->getAABB(), [&](Object *o) { return callback(o, obj, cdata); });
  }
  void collide(void *cdata, CollisionCallBack<S> callback) const override {
    const Tree &tree = ready();
    if (tree.nodes.empty()) return;
    tree.pairs(0, 0, tree, [&](Object *a, Object *b) { return callback(a, b, cdata); });
  }
  void collide(BroadPhaseCollisionManager<S> *other, void *cdata, CollisionCallBack<S> callback) const override {
    if (other == this) return collide(cdata, callback);
    const Tree &tree = ready();
    std::vector<Object *> objects;
    other->getObjects(objects);
    if (tree.nodes.empty()) return;
    bool done = false;
    for (auto *obj : objects)
      if (!done) done = tree.overlapping(0, obj->getAABB(), [&](Object *o) { return callback(o, obj, cdata); });
  }
  void distance(Object *obj, void *cdata, DistanceCallBack<S> callback) const override {
    S least = std::numeric_limits<S>::max();
    nearest(obj, cdata, callback, least, nullptr);
  }
  void distance(void *cdata, DistanceCallBack<S> callback) const override {
    S least = std::numeric_limits<S>::max();
    bool done = false;
    for (auto *obj : objects_)
      if (!done) done = nearest(obj, cdata, callback, least, obj);
  }
  void distance(BroadPhaseCollisionManager<S> *other, void *cdata, DistanceCallBack<S> callback) const override {
    if (other == this) return distance(cdata, callback);
    std::vector<Object *> objects;
    other->getObjects(objects);
    S least = std::numeric_limits<S>::max();
    bool done = false;
    for (auto *obj : objects)
      if (!done) done = nearest(obj, cdata, callback, least, nullptr);
  }

 private:
  struct Node {
    AABB<S> box;
    // A leaf has one object; an inner node has its children next to each other.
    Object *object;
    std::size_t first;
  };
  struct Tree {
    std::vector<Node> nodes;

    // Visits the objects whose boxes overlap; ends when the visitor returns true.
    template <typename F>
    bool overlapping(std::size_t at, const AABB<S> &box, F visit) const {
      const Node &node = nodes[at];
      if (!node.box.overlap(box)) return false;
      if (node.object) return visit(node.object);
      return overlapping(node.first, box, visit) || overlapping(node.first + 1, box, visit);
    }
    // Visits the pairs of objects whose boxes overlap, each once.
    template <typename F>
    bool pairs(std::size_t a, std::size_t b, const Tree &tree, F visit) const {
      const Node &p = nodes[a], &q = nodes[b];
      if (a == b) {
        if (p.object) return false;
        return pairs(p.first, p.first, tree, visit) || pairs(p.first + 1, p.first + 1, tree, visit) ||
               pairs(p.first, p.first + 1, tree, visit);
      }
      if (!p.box.overlap(q.box)) return false;
      if (p.object && q.object) return visit(p.object, q.object);
      if (q.object || (!p.object && p.box.size() > q.box.size()))
        return pairs(p.first, b, tree, visit) || pairs(p.first + 1, b, tree, visit);
      return pairs(a, q.first, tree, visit) || pairs(a, q.first + 1, tree, visit);
    }
  };

  bool nearest(Object *obj, void *cdata, DistanceCallBack<S> callback, S &least, Object *after) const {
    const Tree &tree = ready();
    return !tree.nodes.empty() && nearest(tree, 0, obj, cdata, callback, least, after);
  }
  // Nearer children first; boxes beyond the least distance are skipped.
  bool nearest(const Tree &tree, std::size_t at, Object *obj, void *cdata, DistanceCallBack<S> callback, S &least,
               Object *after) const {
    const Node &node = tree.nodes[at];
    if (node.object) {
      // Within one manager each pair once: with the objects at higher addresses.
      if (after && !std::less<Object *>()(after, node.object)) return false;
      return callback(node.object, obj, cdata, least);
    }
    const AABB<S> &box = obj->getAABB();
    S d[2] = {tree.nodes[node.first].box.distance(box), tree.nodes[node.first + 1].box.distance(box)};
    const int near = d[1] < d[0] ? 1 : 0;
    for (int i : {near, 1 - near})
      if (d[i] < least && nearest(tree, node.first + static_cast<std::size_t>(i), obj, cdata, callback, least, after))
        return true;
    return false;
  }

  const Tree &ready() const {
    if (!built_) const_cast<TreeManager *>(this)->build();
    return tree_;
  }
  // Children are behind their parents, so boxes are fitted from the last to the first.
  void refit() {
    if (!built_ || tree_.nodes.empty()) return build();
    S size = 0;
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      Node &node = tree_.nodes[i];
      if (node.object) {
        node.box = node.object->getAABB();
      } else {
        node.box = tree_.nodes[node.first].box;
        node.box += tree_.nodes[node.first + 1].box;
        size += (node.box.max_ - node.box.min_).sum();
      }
    }
    if (!(size <= 2 * built_size_)) build();
  }
  void build() {
    tree_.nodes.clear();
    built_ = true;
    built_size_ = 0;
    if (objects_.empty()) return;
    std::vector<Object *> order(objects_);
    tree_.nodes.reserve(2 * order.size());
    tree_.nodes.emplace_back();
    fill(0, order.begin(), order.end());
  }
  using Iterator = typename std::vector<Object *>::iterator;
  void fill(std::size_t at, Iterator begin, Iterator end) {
    AABB<S> box;
    for (Iterator i = begin; i != end; ++i) box += (*i)->getAABB();
    tree_.nodes[at] = Node{box, nullptr, 0};
    if (end - begin == 1) {
      tree_.nodes[at].object = *begin;
      return;
    }
    built_size_ += (box.max_ - box.min_).sum();
    int axis = 0;
    (box.max_ - box.min_).maxCoeff(&axis);
    const Iterator middle = begin + (end - begin) / 2;
    const auto lower = [axis](const Object *a, const Object *b) {
      return a->getAABB().min_[axis] + a->getAABB().max_[axis] < b->getAABB().min_[axis] + b->getAABB().max_[axis];
    };
    std::nth_element(begin, middle, end, lower);
    const std::size_t first = tree_.nodes.size();
    tree_.nodes.resize(first + 2);
    tree_.nodes[at].first = first;
    fill(first, begin, middle);
    fill(first + 1, middle, end);
  }

  std::vector<Object *> objects_;
  Tree tree_;
  bool built_ = false;
  S built_size_ = 0;
};

// Names of hash tables, for the arguments of SpatialHashingCollisionManager.
template <typename S> struct SpatialHash {};
template <typename Key, typename Data>
struct unordered_map_hash_table {};
template <typename Key, typename Data, typename Hash, template <typename, typename> class Table = unordered_map_hash_table>
struct SparseHashTable {};
template <typename Key, typename Data, typename Hash>
struct SimpleHashTable {};
}  // namespace detail

// All managers are the same tree; the names of FCL select nothing.
template <typename S> class NaiveCollisionManager : public detail::TreeManager<S> {};
template <typename S> class SaPCollisionManager : public detail::TreeManager<S> {};
template <typename S> class SSaPCollisionManager : public detail::TreeManager<S> {};
template <typename S> class IntervalTreeCollisionManager : public detail::TreeManager<S> {};
template <typename S>
class DynamicAABBTreeCollisionManager : public detail::TreeManager<S> {
 public:
  int max_tree_nonbalanced_level = 10;
  int tree_incremental_balance_pass = 10;
  int tree_topdown_balance_threshold = 2;
  int tree_topdown_level = 0;
  int tree_init_level = 0;
  bool octree_as_geometry_collide = true;
  bool octree_as_geometry_distance = false;
};
template <typename S>
class DynamicAABBTreeCollisionManager_Array : public DynamicAABBTreeCollisionManager<S> {};
template <typename S, typename HashTable = void>
class SpatialHashingCollisionManager : public detail::TreeManager<S> {
 public:
  SpatialHashingCollisionManager(S, const Vector3<S> &, const Vector3<S> &, unsigned int = 1000) {}
  // Box around all objects.
  static void computeBound(std::vector<CollisionObject<S> *> &objs, Vector3<S> &l, Vector3<S> &u) {
    AABB<S> bound;
    for (auto *object : objs) bound += object->getAABB();
    l = bound.min_;
    u = bound.max_;
  }
};

using BroadPhaseCollisionManagerf = BroadPhaseCollisionManager<float>;
using BroadPhaseCollisionManagerd = BroadPhaseCollisionManager<double>;
using NaiveCollisionManagerf = NaiveCollisionManager<float>;
using NaiveCollisionManagerd = NaiveCollisionManager<double>;
using SaPCollisionManagerf = SaPCollisionManager<float>;
using SaPCollisionManagerd = SaPCollisionManager<double>;
using SSaPCollisionManagerf = SSaPCollisionManager<float>;
using SSaPCollisionManagerd = SSaPCollisionManager<double>;
using IntervalTreeCollisionManagerf = IntervalTreeCollisionManager<float>;
using IntervalTreeCollisionManagerd = IntervalTreeCollisionManager<double>;
using DynamicAABBTreeCollisionManagerf = DynamicAABBTreeCollisionManager<float>;
using DynamicAABBTreeCollisionManagerd = DynamicAABBTreeCollisionManager<double>;
using DynamicAABBTreeCollisionManager_Arrayf = DynamicAABBTreeCollisionManager_Array<float>;
using DynamicAABBTreeCollisionManager_Arrayd = DynamicAABBTreeCollisionManager_Array<double>;

// Data and callbacks for the usual queries.
template <typename S_>
struct DefaultCollisionData {
  using S = S_;
  CollisionRequest<S> request;
  CollisionResult<S> result;
  bool done = false;
};
template <typename S>
bool DefaultCollisionFunction(CollisionObject<S> *o1, CollisionObject<S> *o2, void *data) {
  auto *cdata = static_cast<DefaultCollisionData<S> *>(data);
  if (cdata->done) return true;
  collide(o1, o2, cdata->request, cdata->result);
  if (cdata->request.isSatisfied(cdata->result)) cdata->done = true;
  return cdata->done;
}

template <typename S_>
struct DefaultDistanceData {
  using S = S_;
  DistanceRequest<S> request;
  DistanceResult<S> result;
  bool done = false;
};
template <typename S>
bool DefaultDistanceFunction(CollisionObject<S> *o1, CollisionObject<S> *o2, void *data, S &dist) {
  auto *cdata = static_cast<DefaultDistanceData<S> *>(data);
  if (cdata->done) {
    dist = cdata->result.min_distance;
    return true;
  }
  distance(o1, o2, cdata->request, cdata->result);
  dist = cdata->result.min_distance;
  return dist <= 0;
}

template <typename S_>
struct DefaultContinuousCollisionData {
  using S = S_;
  ContinuousCollisionRequest<S> request;
  ContinuousCollisionResult<S> result;
  bool done = false;
};

}  // namespace fcl

#endif
