(component :Shop.Core)

(entity :Item
  {:Sku {:type :String :guid true}
   :Price :Decimal
   :Added :Now
   :Kind {:oneof ["food" "tool"] :default "food"}})

(entity :Line
  {:No {:type :Int :id true}
   :Qty :Int
   :Cost '(* :Qty 3)})

(relationship :Lines {:meta {:contains [:Item :Line]}})

(defn band [p]
  (cond (>= p 100) "high" (>= p 10) "mid" :else "low"))

(dataflow :Classify
  {:Item {:Sku? :Classify.Sku} :as [:I]}
  [:eval '(band :I.Price)])
