(ns garden.barrel
  (:require [clojure.string :as str]))

;; (defn fake [])
(defn fill
  "Fills (defn it"
  [barrel litres]
  (+ barrel litres))

(defn- helper [x]
  (str x
       "y"))
