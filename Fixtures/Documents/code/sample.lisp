(defpackage #:garden
  (:use #:cl)
  (:export #:fill-barrel))

#| (defun fake ()
(defun nested () #| more |#
  nil)) |#
(defclass barrel ()
  ((litres :initarg :litres
           :accessor litres)))

(defmethod (setf color) (value (object barrel))
  (when (char= value #\")
    (setf (slot-value object 'color) value)))

(DEFUN fill-barrel (barrel litres)
  "Fills the barrel.
(defun it"
  (incf (litres barrel) litres))
