(* Allocates and recurses, raises and catches, so that the collector and the exception handlers walk the stack. *)
module M = Map.Make (Int)

exception Found of int

let rec build n = if n = 0 then M.empty else M.add n (String.make (n mod 50) 'x') (build (n - 1))
let total map = M.fold (fun key text sum -> sum + (key * String.length text)) map 0
let find map = try M.iter (fun key text -> if String.length text = 49 then raise (Found key)) map; 0 with Found key -> key
let rec sorted = function
  | [] -> []
  | first :: rest ->
      let below, above = List.partition (fun one -> one < first) rest in
      sorted below @ (first :: sorted above)

let () =
  let map = build 20000 in
  Gc.full_major ();
  Printf.printf "%d %d\n" (total map) (find map);
  let list = sorted (List.init 2000 (fun i -> i * 7919 mod 2003)) in
  Printf.printf "%d %d\n" (List.length list) (List.nth list 1000);
  exit 4
