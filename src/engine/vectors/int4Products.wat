;; Dot products of int4 vectors with one int16 vector, thirty-two numbers at a time.
(module
  ;; From byte 0 on the query; the rest is the caller's.
  (memory (export "memory") 5)
  ;; `count` vectors of `width` bytes (a multiple of 16) from byte `rows` on; their int32 sums go from byte `sums` on.
  ;; A byte holds two numbers, each from 0 to 15, the first in its lower half. The query holds thirty-two of its numbers at a
  ;; time in the order in which they are taken: of every four the first, then of every four the second, and so on.
  (func (export "products") (param $rows i32) (param $count i32) (param $width i32) (param $sums i32)
    (local $query i32) (local $end i32) (local $packed v128) (local $sum v128) (local $low v128)
    (local.set $low (v128.const i16x8 15 15 15 15 15 15 15 15))
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $query (i32.const 0))
        (local.set $end (i32.add (local.get $rows) (local.get $width)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (loop $chunk
          (local.set $packed (v128.load (local.get $rows)))
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.add
                (i32x4.add
                  (i32x4.dot_i16x8_s
                    (v128.and (local.get $packed) (local.get $low))
                    (v128.load (local.get $query)))
                  (i32x4.dot_i16x8_s
                    (v128.and (i16x8.shr_u (local.get $packed) (i32.const 4)) (local.get $low))
                    (v128.load offset=16 (local.get $query))))
                (i32x4.add
                  (i32x4.dot_i16x8_s
                    (v128.and (i16x8.shr_u (local.get $packed) (i32.const 8)) (local.get $low))
                    (v128.load offset=32 (local.get $query)))
                  (i32x4.dot_i16x8_s
                    (i16x8.shr_u (local.get $packed) (i32.const 12))
                    (v128.load offset=48 (local.get $query)))))))
          (local.set $query (i32.add (local.get $query) (i32.const 64)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (br_if $chunk (i32.lt_u (local.get $rows) (local.get $end))))
        (i32.store
          (local.get $sums)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $sums (i32.add (local.get $sums) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))))
