(ns example.barrels
  "Barrels for rain water."
  (:require [clojure.string :as string]
            [clojure.set :as set]))

(def maximum
  "The maximum capacity."
  1000)

(defonce ^:private store
  (atom {}))

(defprotocol Container
  "Something with a size."
  (size [this])
  (full? [this]))

(defrecord Barrel [capacity content]
  Container
  (size [_] capacity)
  (full? [_]
    (>= content capacity)))

(defn fill
  "Adds water; a bracket in a string: )"
  ([barrel]
   (fill barrel 1))
  ([barrel amount]
   (update barrel :content + amount)))

(defn- average [values]
  ; a bracket in a comment: )
  (if (empty? values)
    0
    (/ (reduce + values) (count values))))

(defmulti describe
  "Describes an event."
  :kind)

(defmethod describe :rain [event]
  (str "rain "
       (:amount event)))

(defmacro measured
  [& body]
  `(let [start# (System/nanoTime)]
     ~@body))

(deftype Gauge [value]
  Object
  (toString [_]
    (str value)))

(comment
  (fill (->Barrel 10 0))
  (average [1 2 3]))

(extend-type String
  Container
  (size [this]
    (count this)))
