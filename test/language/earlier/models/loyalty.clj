(component :Loyalty.Core)

(defn points-for [amount]
  (cond
    (>= amount 5000) 10
    (>= amount 2000) 5
    (> amount 1000) 2
    :else 0))

(defn total [points]
  (reduce + (map :Value points)))

(entity :Customer
  {:Email {:type :Email :guid true}
   :Name :String})

(entity :Point
  {:Id :Identity
   :Value :Int})

(entity :Purchase
  {:Id :Identity
   :Customer :Customer.Email
   :Amount {:type :Int :check pos?}
   :Earns {:type :Int :expr '(points-for :Amount)}
   :At :Now})

(relationship :Points {:meta {:between [:Customer :Point]}})

(event :AwardPoints
  {:Customer :Email
   :Value :Int})

(dataflow :AwardPoints
  "Points belong to their customer."
  {:Point {:Value :AwardPoints.Value} :as :P}
  {:Points {:Customer :AwardPoints.Customer :Point :P.Id}})

(dataflow [:after :create :Purchase]
  [:match
   [:> '(points-for :Instance.Amount) 0]
   {:AwardPoints {:Customer :Instance.Customer :Value '(points-for :Instance.Amount)}}])

(event :FetchPoints {:Customer :Email})

(dataflow :FetchPoints
  {:Point? {} :-> [[{:Points {:Customer? :FetchPoints.Customer}}]] :as :Earned}
  [:eval '(total :Earned)])
