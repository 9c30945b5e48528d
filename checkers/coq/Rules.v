(** The lemmas behind the rules of docs/certificates.md, section 13, over the real numbers.

    Proven here: planes and supports (cut), trees of nodes (cover and cut), partitions of faces and the sum over a
    ray's tokens (cover and rays), crossings of a ray with a triangle and planes that exclude a ray (rays), edges
    through triangles (witness), rotations, steps of a chain of joints and the room of a leaf (motion), and trees of
    cells (subdivision). Nothing is admitted. Assumed are the axioms of the real numbers of Coq's library, which
    [Print Assumptions] at the end lists.

    Not stated here: that a checker computes what the rules say, that a mesh has the points of its triangles
    only, that the sum of the crossings of a closed mesh is the same for all rays (section 8), and witnesses in
    primitives (section 9). *)

Require Import Reals Lra List Psatz ZArith Permutation.
Import ListNotations.
Open Scope R_scope.

(** * Vectors *)

Record vec := V { vx : R; vy : R; vz : R }.

Definition add a b := V (vx a + vx b) (vy a + vy b) (vz a + vz b).
Definition sub a b := V (vx a - vx b) (vy a - vy b) (vz a - vz b).
Definition scale s a := V (s * vx a) (s * vy a) (s * vz a).
Definition dot a b := vx a * vx b + vy a * vy b + vz a * vz b.
Definition norm a := sqrt (dot a a).
Definition dist a b := norm (sub a b).

Lemma dot_self a : 0 <= dot a a.
Proof. unfold dot. nra. Qed.

Lemma norm_nonneg a : 0 <= norm a.
Proof. apply sqrt_pos. Qed.

Lemma norm_squared a : norm a * norm a = dot a a.
Proof. apply sqrt_sqrt, dot_self. Qed.

(** Cauchy and Schwarz, by the identity of Lagrange. *)
Lemma cauchy_schwarz a b : dot a b <= norm a * norm b.
Proof.
  destruct (Rle_lt_dec (dot a b) 0) as [neg | pos].
  - pose proof (norm_nonneg a). pose proof (norm_nonneg b). nra.
  - apply Rsqr_incr_0_var.
    + unfold Rsqr.
      replace (norm a * norm b * (norm a * norm b)) with ((norm a * norm a) * (norm b * norm b)) by ring.
      rewrite !norm_squared. destruct a as [a1 a2 a3], b as [b1 b2 b3]. unfold dot. simpl.
      pose proof (Rle_0_sqr (a1 * b2 - a2 * b1)). pose proof (Rle_0_sqr (a2 * b3 - a3 * b2)).
      pose proof (Rle_0_sqr (a3 * b1 - a1 * b3)). unfold Rsqr in *. nra.
    + pose proof (norm_nonneg a). pose proof (norm_nonneg b). nra.
Qed.

Lemma triangle a b : norm (add a b) <= norm a + norm b.
Proof.
  pose proof (norm_nonneg a). pose proof (norm_nonneg b).
  apply Rsqr_incr_0_var; [| lra]. unfold Rsqr. rewrite norm_squared.
  pose proof (cauchy_schwarz a b). pose proof (norm_squared a). pose proof (norm_squared b).
  replace (dot (add a b) (add a b)) with (dot a a + 2 * dot a b + dot b b)
    by (unfold dot, add; simpl; ring).
  nra.
Qed.

Lemma dist_triangle a b c : dist a c <= dist a b + dist b c.
Proof.
  unfold dist. replace (sub a c) with (add (sub a b) (sub b c)).
  - apply triangle.
  - unfold add, sub. simpl. f_equal; ring.
Qed.

Lemma dist_sym a b : dist a b = dist b a.
Proof. unfold dist, norm. f_equal. unfold dot, sub. simpl. ring. Qed.

(** * Cut: a plane between two sets *)

Definition set := vec -> Prop.

Definition apart (r : R) (A B : set) := forall x y, A x -> B y -> r < dist x y.

(** [top_a] bounds n·x over A, [top_b] bounds (-n)·y over B; the margin is -top_b - top_a. *)
Theorem plane_separates (A B : set) (n : vec) (top_a top_b r : R) :
  (forall x, A x -> dot n x <= top_a) ->
  (forall y, B y -> - dot n y <= top_b) ->
  0 <= r ->
  0 < - top_b - top_a ->
  r * r * dot n n < (- top_b - top_a) * (- top_b - top_a) ->
  apart r A B.
Proof.
  intros HA HB Hr Hm Hs x y Hx Hy.
  specialize (HA x Hx). specialize (HB y Hy). rewrite dist_sym. unfold dist.
  assert (H : - top_b - top_a <= dot n (sub y x)).
  { replace (dot n (sub y x)) with (dot n y - dot n x) by (unfold dot, sub; simpl; ring). lra. }
  pose proof (cauchy_schwarz n (sub y x)) as C.
  pose proof (norm_nonneg n). pose proof (norm_nonneg (sub y x)).
  rewrite <- norm_squared in Hs.
  destruct (Rlt_le_dec r (norm (sub y x))) as [ok | bad]; [exact ok | exfalso].
  assert (norm n * norm (sub y x) <= norm n * r) by nra.
  assert (- top_b - top_a <= norm n * r) by lra.
  assert (0 <= norm n * r) by nra. nra.
Qed.

(** The support of a parallelepiped c + s1·u1 + s2·u2 + s3·u3 with |si| <= 1. *)
Definition box (c u1 u2 u3 : vec) : set := fun p =>
  exists s1 s2 s3, Rabs s1 <= 1 /\ Rabs s2 <= 1 /\ Rabs s3 <= 1 /\
    p = add c (add (scale s1 u1) (add (scale s2 u2) (scale s3 u3))).

Lemma bounded_product s t : Rabs s <= 1 -> s * t <= Rabs t.
Proof.
  intros H. destruct (Rabs_def2 s (1 + 1)) as [_ _]; [lra |].
  unfold Rabs in *. destruct (Rcase_abs s), (Rcase_abs t); nra.
Qed.

Theorem support_of_box c u1 u2 u3 n p :
  box c u1 u2 u3 p -> dot n p <= dot n c + Rabs (dot n u1) + Rabs (dot n u2) + Rabs (dot n u3).
Proof.
  intros (s1 & s2 & s3 & H1 & H2 & H3 & ->).
  replace (dot n (add c (add (scale s1 u1) (add (scale s2 u2) (scale s3 u3)))))
    with (dot n c + s1 * dot n u1 + s2 * dot n u2 + s3 * dot n u3)
    by (unfold dot, add, scale; simpl; ring).
  pose proof (bounded_product s1 (dot n u1) H1). pose proof (bounded_product s2 (dot n u2) H2).
  pose proof (bounded_product s3 (dot n u3) H3). lra.
Qed.

(** A box that holds the vertices of a triangle holds all of it. *)
Definition between (a b c : vec) : set := fun p =>
  exists l m k, 0 <= l /\ 0 <= m /\ 0 <= k /\ l + m + k = 1 /\
    p = add (scale l a) (add (scale m b) (scale k c)).

Lemma convex_abs l m k s t u : 0 <= l -> 0 <= m -> 0 <= k -> l + m + k = 1 ->
  Rabs s <= 1 -> Rabs t <= 1 -> Rabs u <= 1 -> Rabs (l * s + m * t + k * u) <= 1.
Proof.
  intros. apply Rabs_le.
  assert (-1 <= s <= 1) by (split; [| ]; unfold Rabs in *; destruct (Rcase_abs s); lra).
  assert (-1 <= t <= 1) by (split; [| ]; unfold Rabs in *; destruct (Rcase_abs t); lra).
  assert (-1 <= u <= 1) by (split; [| ]; unfold Rabs in *; destruct (Rcase_abs u); lra).
  split; nra.
Qed.

Theorem box_holds_triangle c u1 u2 u3 v1 v2 v3 p :
  box c u1 u2 u3 v1 -> box c u1 u2 u3 v2 -> box c u1 u2 u3 v3 -> between v1 v2 v3 p -> box c u1 u2 u3 p.
Proof.
  intros (a1 & a2 & a3 & A1 & A2 & A3 & ->) (b1 & b2 & b3 & B1 & B2 & B3 & ->)
    (d1 & d2 & d3 & D1 & D2 & D3 & ->) (l & m & k & L & M & K & S & ->).
  exists (l * a1 + m * b1 + k * d1), (l * a2 + m * b2 + k * d2), (l * a3 + m * b3 + k * d3).
  repeat split; try (apply convex_abs; assumption).
  assert (Hk : k = 1 - l - m) by lra. subst k.
  unfold add, scale. simpl. f_equal; ring.
Qed.

(** The test of membership: with A·U = D·I, s = A·(v - c)/D. Here in the coordinates of the box. *)
Theorem membership_by_adjugate (D s t : R) : D <> 0 -> D * s = t -> (Rabs t <= Rabs D <-> Rabs s <= 1).
Proof.
  intros HD <-. rewrite Rabs_mult. pose proof (Rabs_pos_lt D HD). split; intros; nra.
Qed.

(** * Cover and cut: trees of pairs of nodes *)

Section Trees.
  Variable node : Type.
  Variable points : node -> set.
  Variable children : node -> list node.

  (** Rule 2 of covers: the faces of a node that has children are in its children. *)
  Hypothesis covered : forall n, children n <> [] ->
    forall x, points n x -> exists c, In c (children n) /\ points c x.

  Inductive cut (r : R) : node -> node -> Prop :=
  | plane a b : apart r (points a) (points b) -> cut r a b
  | split_first a b : children a <> [] -> (forall c, In c (children a) -> cut r c b) -> cut r a b
  | split_second a b : children b <> [] -> (forall c, In c (children b) -> cut r a c) -> cut r a b.

  Theorem cut_separates r a b : cut r a b -> apart r (points a) (points b).
  Proof.
    induction 1 as [a b H | a b Ha _ IH | a b Hb _ IH]; intros x y Hx Hy.
    - exact (H x y Hx Hy).
    - destruct (covered a Ha x Hx) as (c & Hc & Hcx). exact (IH c Hc x y Hcx Hy).
    - destruct (covered b Hb y Hy) as (c & Hc & Hcy). exact (IH c Hc x y Hx Hcy).
  Qed.
End Trees.

(** * Partitions: the sum over the tokens of a ray is that over all faces, each once *)

Section Partitions.
  Open Scope Z_scope.
  Variable node : Type.
  Variable children : node -> list node.
  (** The faces at or below a node, in the order of the lists; a node with children has those of its children. *)
  Variable faces : node -> list nat.
  Variable crossing : nat -> Z.
  Hypothesis below : forall n, children n <> [] -> faces n = flat_map faces (children n).

  Fixpoint sum (l : list Z) : Z := match l with [] => 0 | k :: r => k + sum r end.
  Definition crossings (l : list nat) : Z := sum (map crossing l).

  (** Tokens: a face that is crossed, a node that a plane excludes, a node that is split into its children. *)
  Inductive ray : node -> Z -> Prop :=
  | crossed n f : faces n = [f] -> ray n (crossing f)
  | excluded n : (forall f, In f (faces n) -> crossing f = 0) -> ray n 0
  | split n counts : children n <> [] -> rays (children n) counts -> ray n (sum counts)
  with rays : list node -> list Z -> Prop :=
  | no_nodes : rays [] []
  | more_nodes n nodes k counts : ray n k -> rays nodes counts -> rays (n :: nodes) (k :: counts).

  Scheme ray_by := Induction for ray Sort Prop
  with rays_by := Induction for rays Sort Prop.

  Lemma crossings_app l r : crossings (l ++ r) = crossings l + crossings r.
  Proof. unfold crossings. induction l as [| f l IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

  Lemma crossings_of_none l : (forall f, In f l -> crossing f = 0) -> crossings l = 0.
  Proof.
    unfold crossings. induction l as [| f l IH]; simpl; intros H; [reflexivity |].
    rewrite (H f (or_introl eq_refl)), IH; [reflexivity |]. intros g Hg. apply H. right. exact Hg.
  Qed.

  Theorem tokens_add_up n k : ray n k -> k = crossings (faces n).
  Proof.
    intros H. induction H using ray_by with
      (P0 := fun nodes counts _ => sum counts = crossings (flat_map faces nodes)).
    - rewrite e. unfold crossings. simpl. ring.
    - symmetry. apply crossings_of_none. assumption.
    - rewrite below by assumption. assumption.
    - reflexivity.
    - simpl. rewrite crossings_app. congruence.
  Qed.

  Lemma crossings_permuted l r : Permutation l r -> crossings l = crossings r.
  Proof. unfold crossings. induction 1; simpl; lia. Qed.

  (** Rule 2 of covers: every face below the root, and none twice. *)
  Theorem winding_is_the_sum_over_all_faces root count k :
    (forall f, In f (faces root) <-> (f < count)%nat) -> NoDup (faces root) ->
    ray root k -> k = crossings (seq 0 count).
  Proof.
    intros Hall Honce H. rewrite (tokens_add_up root k H). apply crossings_permuted.
    apply NoDup_Permutation; [exact Honce | apply seq_NoDup |].
    intros f. rewrite Hall, in_seq. lia.
  Qed.
End Partitions.

(** With every face "at least" once it would not be: a single face that is listed twice counts twice. *)
Example at_least_once_is_not_enough :
  exists (children : bool -> list bool) (faces : bool -> list nat) (crossing : nat -> Z),
    (forall n, children n <> [] -> faces n = flat_map faces (children n)) /\
    (forall f, In f (faces true) <-> (f < 1)%nat) /\
    ray bool children faces crossing true 2%Z /\ crossings crossing (seq 0 1) = 1%Z.
Proof.
  exists (fun n : bool => if n then [false; false] else []), (fun n : bool => if n then [0; 0]%nat else [0]%nat),
    (fun _ => 1%Z).
  repeat split.
  - intros [|] H; [reflexivity | destruct H; reflexivity].
  - simpl. intros [<- | [<- | []]]; lia.
  - simpl. intros H. left. lia.
  - apply (split bool _ _ _ true [1; 1]%Z); [discriminate |].
    repeat constructor; apply (crossed bool _ _ (fun _ => 1%Z) false 0); reflexivity.
Qed.

(** * Witness: an edge and a triangle with a common point (section 9) *)

Definition det u v w :=
  vx u * (vy v * vz w - vz v * vy w) + vy u * (vz v * vx w - vx v * vz w) + vz u * (vx v * vy w - vy v * vx w).

Lemma quotient_nonneg x s : (0 <= x /\ 0 < s) \/ (x <= 0 /\ s < 0) -> 0 <= x / s.
Proof.
  intros [[Hx Hs] | [Hx Hs]].
  - apply Rmult_le_pos; [exact Hx |]. left. apply Rinv_0_lt_compat. exact Hs.
  - replace (x / s) with ((- x) / (- s)) by (field; lra).
    apply Rmult_le_pos; [lra |]. left. apply Rinv_0_lt_compat. lra.
Qed.

Theorem edge_meets_triangle p q a b c :
  let d := sub q p in
  let s1 := det d (sub a p) (sub b p) in
  let s2 := det d (sub b p) (sub c p) in
  let s3 := det d (sub c p) (sub a p) in
  let g x := det (sub b a) (sub c a) (sub x a) in
  (0 <= s1 /\ 0 <= s2 /\ 0 <= s3) \/ (s1 <= 0 /\ s2 <= 0 /\ s3 <= 0) ->
  (0 <= g p /\ g q <= 0) \/ (g p <= 0 /\ 0 <= g q) ->
  g p <> 0 \/ g q <> 0 ->
  exists x t, between a b c x /\ 0 <= t <= 1 /\ x = add p (scale t d).
Proof.
  intros d s1 s2 s3 g Hs Hg Hn.
  assert (S : s1 + s2 + s3 = g q - g p)
    by (unfold s1, s2, s3, g, d, det, sub; destruct p, q, a, b, c; simpl; ring).
  assert (HS : s1 + s2 + s3 <> 0) by (intros E; destruct Hn as [H | H]; lra).
  exists (add p (scale (- g p / (s1 + s2 + s3)) d)), (- g p / (s1 + s2 + s3)).
  split; [| split].
  - exists (s2 / (s1 + s2 + s3)), (s3 / (s1 + s2 + s3)), (s1 / (s1 + s2 + s3)).
    repeat split; try (apply quotient_nonneg; lra); try (field; exact HS).
    assert (E : forall f : vec -> R, (f = vx \/ f = vy \/ f = vz) ->
      f p + - g p / (s1 + s2 + s3) * f d
      = s2 / (s1 + s2 + s3) * f a + (s3 / (s1 + s2 + s3) * f b + s1 / (s1 + s2 + s3) * f c)).
    { intros f Hf. apply (Rmult_eq_reg_l (s1 + s2 + s3)); [| exact HS].
      transitivity ((s1 + s2 + s3) * f p - g p * f d); [field; exact HS |].
      transitivity (s2 * f a + s3 * f b + s1 * f c); [| field; exact HS].
      destruct Hf as [-> | [-> | ->]];
        unfold s1, s2, s3, g, d, det, sub; destruct p, q, a, b, c; simpl; ring. }
    unfold add at 1 2 3, scale at 1 2 3 4. simpl. f_equal; apply E; auto.
  - split; [apply quotient_nonneg; lra |].
    apply Rminus_le. replace (- g p / (s1 + s2 + s3) - 1) with (- (g q / (s1 + s2 + s3)))
      by (field_simplify_eq; [lra | exact HS]).
    assert (0 <= g q / (s1 + s2 + s3)) by (apply quotient_nonneg; lra). lra.
  - reflexivity.
Qed.

(** * Rays: crossings with a triangle (section 8) *)

(** The turns of a line about the edges of a triangle are the weights of their common point, times their sum. *)
Lemma turns_are_weights p d a b c l m k t :
  l + m + k = 1 ->
  add (scale l a) (add (scale m b) (scale k c)) = add p (scale t d) ->
  let s1 := det d (sub a p) (sub b p) in
  let s2 := det d (sub b p) (sub c p) in
  let s3 := det d (sub c p) (sub a p) in
  let s := det (sub b a) (sub c a) d in
  s1 + s2 + s3 = s /\ s2 = l * s /\ s3 = m * s /\ s1 = k * s.
Proof.
  destruct p as [px py pz], d as [dx dy dz], a as [ax ay az], b as [bx b_y bz], c as [cx cy cz].
  unfold add, scale, det, sub. simpl. intros W E. injection E as Ex Ey Ez.
  assert (Hl : l = 1 - m - k) by lra. subst l.
  assert (Px : px = (1 - m - k) * ax + (m * bx + k * cx) - t * dx) by lra.
  assert (Py : py = (1 - m - k) * ay + (m * b_y + k * cy) - t * dy) by lra.
  assert (Pz : pz = (1 - m - k) * az + (m * bz + k * cz) - t * dz) by lra.
  rewrite Px, Py, Pz. repeat split; ring.
Qed.

(** Two turns of certain and different signs: the line misses the closed triangle. *)
Theorem different_signs_miss p d a b c t :
  let s1 := det d (sub a p) (sub b p) in
  let s2 := det d (sub b p) (sub c p) in
  let s3 := det d (sub c p) (sub a p) in
  (0 < s1 \/ 0 < s2 \/ 0 < s3) -> (s1 < 0 \/ s2 < 0 \/ s3 < 0) -> ~ between a b c (add p (scale t d)).
Proof.
  intros s1 s2 s3 Hpos Hneg (l & m & k & Hl & Hm & Hk & W & E).
  destruct (turns_are_weights p d a b c l m k t W (eq_sym E)) as (_ & E2 & E3 & E1).
  fold s1 s2 s3 in E1, E2, E3. set (s := det (sub b a) (sub c a) d) in *.
  destruct (Rle_lt_dec 0 s) as [H | H].
  - assert (0 <= s1 /\ 0 <= s2 /\ 0 <= s3) by (rewrite E1, E2, E3; repeat split; nra). lra.
  - assert (s1 <= 0 /\ s2 <= 0 /\ s3 <= 0) by (rewrite E1, E2, E3; repeat split; nra). lra.
Qed.

(** The side of a point of the line grows with the sum of the turns. *)
Lemma side_on_line p d a b c t :
  det (sub b a) (sub c a) (sub (add p (scale t d)) a)
  = det (sub b a) (sub c a) (sub p a) + t * det (sub b a) (sub c a) d.
Proof. unfold det, sub, add, scale. destruct p, d, a, b, c. simpl. ring. Qed.

Lemma side_in_triangle a b c x : between a b c x -> det (sub b a) (sub c a) (sub x a) = 0.
Proof.
  intros (l & m & k & _ & _ & _ & W & ->). assert (Hl : l = 1 - m - k) by lra. subst l.
  unfold det, sub, add, scale. destruct a, b, c. simpl. ring.
Qed.

(** Turns of one sign, and that of the side too: the triangle is behind the ray. *)
Theorem triangle_behind p d a b c t :
  let s1 := det d (sub a p) (sub b p) in
  let s2 := det d (sub b p) (sub c p) in
  let s3 := det d (sub c p) (sub a p) in
  let side := det (sub b a) (sub c a) (sub p a) in
  (0 < s1 /\ 0 < s2 /\ 0 < s3 /\ 0 < side) \/ (s1 < 0 /\ s2 < 0 /\ s3 < 0 /\ side < 0) ->
  0 <= t -> ~ between a b c (add p (scale t d)).
Proof.
  intros s1 s2 s3 side H Ht B. pose proof (side_in_triangle a b c _ B) as Z.
  rewrite side_on_line in Z. fold side in Z. destruct B as (l & m & k & Hl & Hm & Hk & W & E).
  destruct (turns_are_weights p d a b c l m k t W (eq_sym E)) as (S & _).
  fold s1 s2 s3 in S. set (s := det (sub b a) (sub c a) d) in *.
  destruct H as [(? & ? & ? & ?) | (? & ? & ? & ?)]; nra.
Qed.

(** Turns of one sign, and the other sign of the side: the ray meets the triangle once, inside and ahead. *)
Theorem triangle_crossed p d a b c :
  let s1 := det d (sub a p) (sub b p) in
  let s2 := det d (sub b p) (sub c p) in
  let s3 := det d (sub c p) (sub a p) in
  let side := det (sub b a) (sub c a) (sub p a) in
  (0 < s1 /\ 0 < s2 /\ 0 < s3 /\ side < 0) \/ (s1 < 0 /\ s2 < 0 /\ s3 < 0 /\ 0 < side) ->
  exists t, 0 < t /\ between a b c (add p (scale t d)) /\
    forall u, between a b c (add p (scale u d)) -> u = t.
Proof.
  intros s1 s2 s3 side H.
  assert (S : s1 + s2 + s3 = det (sub b a) (sub c a) d)
    by (unfold s1, s2, s3, det, sub; destruct p, d, a, b, c; simpl; ring).
  set (s := det (sub b a) (sub c a) d) in *.
  assert (Hs : s <> 0) by (destruct H as [(? & ? & ? & ?) | (? & ? & ? & ?)]; lra).
  exists (- side / s). split; [| split].
  - destruct H as [(? & ? & ? & ?) | (? & ? & ? & ?)].
    + apply Rdiv_lt_0_compat; lra.
    + replace (- side / s) with (side / - s) by (field; exact Hs). apply Rdiv_lt_0_compat; lra.
  - exists (s2 / s), (s3 / s), (s1 / s).
    repeat split; try (apply quotient_nonneg; lra); try (rewrite <- S; field; rewrite S; exact Hs).
    assert (E : forall f : vec -> R, (f = vx \/ f = vy \/ f = vz) ->
      f p + - side / s * f d = s2 / s * f a + (s3 / s * f b + s1 / s * f c)).
    { intros f Hf. apply (Rmult_eq_reg_l s); [| exact Hs].
      transitivity (s * f p - side * f d); [field; exact Hs |].
      transitivity (s2 * f a + s3 * f b + s1 * f c); [| field; exact Hs].
      destruct Hf as [-> | [-> | ->]];
        unfold s, side, s1, s2, s3, det, sub; destruct p, d, a, b, c; simpl; ring. }
    unfold add at 1 2 3, scale at 1 2 3 4. simpl. f_equal; apply E; auto.
  - intros u B. pose proof (side_in_triangle a b c _ B) as Z. rewrite side_on_line in Z.
    fold side s in Z. apply (Rmult_eq_reg_r s); [| exact Hs]. field_simplify; [lra | exact Hs].
Qed.

(** A plane with the node on the one side and the beginning of the ray beyond, which leads away. *)
Theorem plane_excludes_ray (A : set) n p d top t :
  (forall x, A x -> dot n x <= top) -> 0 <= dot n d -> top < dot n p -> 0 <= t -> ~ A (add p (scale t d)).
Proof.
  intros HA Hd Hp Ht B. specialize (HA _ B).
  assert (E : dot n (add p (scale t d)) = dot n p + t * dot n d) by (unfold dot, add, scale; simpl; ring).
  nra.
Qed.

(** The margin beyond both errors holds for the exact places. *)
Theorem plane_excludes_exact_places n x x' p p' e :
  dist x' x + dist p' p <= e -> 0 < dot n p' - dot n x' ->
  e * e * dot n n < (dot n p' - dot n x') * (dot n p' - dot n x') -> dot n x < dot n p.
Proof.
  intros He Hm Hs.
  pose proof (cauchy_schwarz n (sub x x')). pose proof (cauchy_schwarz n (sub p' p)).
  assert (E : dot n p - dot n x = dot n p' - dot n x' - dot n (sub x x') - dot n (sub p' p))
    by (unfold dot, sub; simpl; ring).
  pose proof (norm_nonneg n). pose proof (norm_squared n).
  unfold dist in He. assert (norm (sub x x') = norm (sub x' x)) by exact (dist_sym x x').
  pose proof (norm_nonneg (sub x' x)). pose proof (norm_nonneg (sub p' p)).
  assert (B : norm n * e < dot n p' - dot n x').
  { apply Rsqr_incrst_0; [| nra | lra]. unfold Rsqr. rewrite <- H2 in Hs. lra. }
  nra.
Qed.

(** * Motion *)

(** A turn by an angle about the z axis moves no point further than the angle times its distance from it. *)
Definition turn (q : R) (p : vec) := V (cos q * vx p - sin q * vy p) (sin q * vx p + cos q * vy p) (vz p).

Lemma sine_below q : 0 <= q -> sin q * sin q <= q * q.
Proof.
  intros Hq. destruct (Req_dec q 0) as [-> | Hn]; [rewrite sin_0; lra |].
  assert (Hpos : 0 < q) by lra.
  destruct (Rle_lt_dec q 1) as [small | large].
  - pose proof (sin_lt_x q Hpos). assert (0 <= sin q).
    { apply sin_ge_0; [lra |]. pose proof PI_RGT_0. pose proof PI2_1. lra. }
    nra.
  - pose proof (SIN_bound q). nra.
Qed.

Lemma cosine_above q : 2 - 2 * cos q <= q * q.
Proof.
  assert (H : forall h, 0 <= h -> 2 - 2 * cos (2 * h) <= (2 * h) * (2 * h)).
  { intros h Hh. rewrite cos_2a_sin. pose proof (sine_below h Hh). nra. }
  destruct (Rle_lt_dec 0 q) as [pos | neg].
  - specialize (H (q / 2)). replace (2 * (q / 2)) with q in H by field. apply H. lra.
  - specialize (H (- q / 2)). replace (2 * (- q / 2)) with (- q) in H by field.
    rewrite cos_neg in H. assert (0 <= - q / 2) by lra. specialize (H H0). lra.
Qed.

Theorem turn_moves_little q p :
  dist (turn q p) p <= Rabs q * sqrt (vx p * vx p + vy p * vy p).
Proof.
  unfold dist, norm.
  set (d := vx p * vx p + vy p * vy p). assert (Hd : 0 <= d) by (unfold d; nra).
  replace (dot (sub (turn q p) p) (sub (turn q p) p)) with ((2 - 2 * cos q) * d).
  - rewrite <- (sqrt_Rsqr_abs q). rewrite <- sqrt_mult; [| apply Rle_0_sqr | exact Hd].
    apply sqrt_le_1_alt. unfold Rsqr. pose proof (cosine_above q). nra.
  - unfold d, dot, sub, turn. simpl. pose proof (sin2_cos2 q) as T. unfold Rsqr in T.
    set (s := sin q) in *. set (c := cos q) in *. set (x := vx p). set (y := vy p).
    replace (_ + _ + _) with ((s * s + c * c + 1 - 2 * c) * (x * x + y * y)) by ring.
    rewrite T. ring.
Qed.

(** A slide by s along a unit vector moves every point by |s|. *)
Theorem slide_moves s a p : norm a = 1 -> dist (add p (scale s a)) p = Rabs s.
Proof.
  intros H. unfold dist, norm.
  replace (dot (sub (add p (scale s a)) p) (sub (add p (scale s a)) p)) with (Rsqr s * dot a a)
    by (unfold dot, sub, add, scale, Rsqr; simpl; ring).
  rewrite <- norm_squared, H. replace (Rsqr s * (1 * 1)) with (Rsqr s) by ring. apply sqrt_Rsqr_abs.
Qed.

(** The distance of a point from an axis after other joints have moved it by at most d. *)
Theorem reach_grows (axis : vec -> R) p p' d :
  (forall a b, axis a <= axis b + dist a b) -> dist p' p <= d -> axis p' <= axis p + d.
Proof. intros H Hd. specialize (H p' p). lra. Qed.

(** A step of the chain: an isometry g of what is on the side of b. Seen from either side, the distance of two points
    changes by no more than the displacement of one of them. *)
Definition isometry (g : vec -> vec) := forall x y, dist (g x) (g y) = dist x y.

Theorem step_seen_from_first g x y d : dist (g y) y <= d -> dist x y - d <= dist x (g y).
Proof. intros H. pose proof (dist_triangle x (g y) y). lra. Qed.

Theorem step_seen_from_second g inverse x y d :
  isometry g -> (forall p, g (inverse p) = p) -> dist (inverse x) x <= d -> dist x y - d <= dist x (g y).
Proof.
  intros Hg Hi H. rewrite <- (Hi x) at 2. rewrite Hg.
  pose proof (dist_triangle x (inverse x) y). rewrite (dist_sym x (inverse x)) in H0. lra.
Qed.

(** So the smaller of both displacements bounds the change. *)
Theorem step_by_the_smaller g inverse x y da db :
  isometry g -> (forall p, g (inverse p) = p) -> dist (g y) y <= db -> dist (inverse x) x <= da ->
  dist x y - Rmin da db <= dist x (g y).
Proof.
  intros Hg Hi Hb Ha. unfold Rmin. destruct (Rle_dec da db).
  - exact (step_seen_from_second g inverse x y da Hg Hi Ha).
  - exact (step_seen_from_first g x y db Hb).
Qed.

(** Joints one at a time: distances along a list of configurations, each step with its own bound. *)
Fixpoint total (l : list R) := match l with [] => 0 | d :: r => d + total r end.

Inductive steps : R -> list R -> R -> Prop :=
| none d : steps d [] d
| one d d' e bounds last : d - e <= d' -> steps d' bounds last -> steps d (e :: bounds) last.

Theorem chain_moves_little first bounds last : steps first bounds last -> first - total bounds <= last.
Proof. induction 1; simpl in *; lra. Qed.

(** The room of a leaf: clearance, paddings, errors of the placements and motion. *)
Theorem room_suffices (clearance e_a e_b : R) bounds at_centre anywhere x y x' y' :
  dist x' x <= e_a -> dist y' y <= e_b ->
  dist x y = at_centre ->
  clearance + e_a + e_b + total bounds < dist x' y' ->
  steps at_centre bounds anywhere ->
  clearance < anywhere.
Proof.
  intros Hx Hy <- Hr Hs. pose proof (chain_moves_little _ _ _ Hs).
  pose proof (dist_triangle x' x y'). pose proof (dist_triangle x y y').
  rewrite (dist_sym y y') in H1. lra.
Qed.

(** * Subdivision: trees of cells of one parameter, split in the middle *)

Inductive proven (P : R -> Prop) : R -> R -> Prop :=
| leaf low high : (forall t, low <= t <= high -> P t) -> proven P low high
| halves low high :
    proven P low ((low + high) / 2) -> proven P ((low + high) / 2) high -> proven P low high.

Theorem cells_cover (P : R -> Prop) low high : proven P low high -> forall t, low <= t <= high -> P t.
Proof.
  induction 1 as [low high H | low high _ IH1 _ IH2]; intros t Ht; [exact (H t Ht) |].
  destruct (Rle_lt_dec t ((low + high) / 2)); [apply IH1 | apply IH2]; lra.
Qed.

(** Of many parameters: a cell is a list of ranges, a split replaces one of them by a half. *)
Definition cell := nat -> R * R.
Definition within (c : cell) (q : nat -> R) := forall k, fst (c k) <= q k <= snd (c k).
Definition with_range (c : cell) (d : nat) (range : R * R) : cell :=
  fun k => if Nat.eqb k d then range else c k.

Inductive proven_cell (P : (nat -> R) -> Prop) : cell -> Prop :=
| cell_leaf c : (forall q, within c q -> P q) -> proven_cell P c
| cell_halves c d :
    proven_cell P (with_range c d (fst (c d), (fst (c d) + snd (c d)) / 2)) ->
    proven_cell P (with_range c d ((fst (c d) + snd (c d)) / 2, snd (c d))) ->
    proven_cell P c.

Theorem boxes_cover P c : proven_cell P c -> forall q, within c q -> P q.
Proof.
  induction 1 as [c H | c d _ IH1 _ IH2]; intros q Hq; [exact (H q Hq) |].
  pose proof (Hq d) as Hd.
  destruct (Rle_lt_dec (q d) ((fst (c d) + snd (c d)) / 2)); [apply IH1 | apply IH2];
    intros k; unfold with_range; destruct (Nat.eqb k d) eqn:E; try apply Hq;
    apply PeanoNat.Nat.eqb_eq in E; subst k; simpl; lra.
Qed.

Print Assumptions plane_separates.
Print Assumptions cut_separates.
Print Assumptions winding_is_the_sum_over_all_faces.
Print Assumptions at_least_once_is_not_enough.
Print Assumptions different_signs_miss.
Print Assumptions triangle_behind.
Print Assumptions triangle_crossed.
Print Assumptions plane_excludes_ray.
Print Assumptions plane_excludes_exact_places.
Print Assumptions edge_meets_triangle.
Print Assumptions turn_moves_little.
Print Assumptions room_suffices.
Print Assumptions boxes_cover.
