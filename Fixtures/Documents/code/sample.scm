#lang racket

(define size
  ;; litres
  200)

(define (fill barrel litres)
  (if (char=? barrel #\;)
      litres
      (+ barrel litres)))

(define-syntax-rule (twice body)
  (begin
    body body))

(define ((curried a) b)
  (list a
        b))

(module+ test
  (fill 1 2)
  (fill 3 4))
