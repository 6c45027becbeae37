;;; barrel.el --- Watch a rain barrel  -*- lexical-binding: t; -*-

(require 'cl-lib)

;; (defun barrel-fake ())
(defcustom barrel-size 200
  "The litres of a barrel.
(defvar barrel-hidden nil)"
  :type 'integer)

;;; Filling
(cl-defun barrel-fill (litres &key (step ?\"))
  "Fill the barrel with LITRES."
  (if (eq step ?")
      (barrel-overflow)
    (+ barrel-size litres)))

(define-minor-mode barrel-mode
  "Watch the barrel."
  :lighter " barrel")

(cl-defstruct (barrel-lid (:constructor nil))
  color
  weight)

(use-package garden
  :config
  (garden-mode 1))

(provide 'barrel)
