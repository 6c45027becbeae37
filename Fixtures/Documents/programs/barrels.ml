(* Barrels for rain water. *)
open Printf

let maximum = 1000.0

exception Full of float

type material =
  | Oak
  | Steel

type barrel = {
  capacity : float;
  mutable content : float;
}
and rain = {
  amount : float;
  hours : int;
}

module type CONTAINER = sig
  type t
  val size : t -> float
end

module Barrel : CONTAINER with type t = barrel = struct
  type t = barrel

  let size barrel =
    barrel.capacity

  let rec fill barrel amount =
    if amount > 0.0 then begin
      barrel.content <- barrel.content +. amount;
      fill barrel 0.0
    end
end

module Make (C : CONTAINER) = struct
  let double container =
    let size = C.size container in
    size *. 2.0
end

let create ?(content = 0.0) capacity =
  if capacity <= 0.0 then raise (Full capacity);
  { capacity; content }

let rec sum = function
  | [] -> 0.0
  | head :: rest ->
    head +. sum rest

and average values =
  let total = sum values in
  total /. float_of_int (List.length values)

let ( +~ ) a b =
  let content = a.content +. b.content in
  { a with content }

class gauge initial = object (self)
  val mutable value = initial

  method read =
    value

  method print =
    printf "%f\n" self#read
end

external now : unit -> float
  = "barrels_now_bytecode"
    "barrels_now"

let () =
  let text = {|a string let x = 1 |} in
  print_endline text;
  print_endline "done"
