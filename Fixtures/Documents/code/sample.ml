(* let fake = 1 (* nested *) *)
type 'a tree =
  | Leaf
  | Node of 'a tree * 'a * 'a tree

let rec insert x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) ->
    if x < y then Node (insert x l, y, r) else Node (l, y, insert x r)

module Set = struct
  let empty = Leaf
end
