(component :Loyalty.Core)

(entity :Customer
  {:Email {:type :Email :guid true}
   :Name :String})

(entity :Point
  {:Id :Identity
   :Value :Int})

(entity :Purchase
  {:Id :Identity
   :Customer :Email
   :Amount :Int
   :At :Now})

(relationship :Points {:meta {:between [:Customer :Point]}})

(event :AwardPoints
  {:Customer :Email
   :Amount :Int})

(dataflow :AwardPoints
  "Larger purchases earn more points."
  {:Customer {:Email? :AwardPoints.Customer} :as [:C]}
  [:match
   [:>= :AwardPoints.Amount 5000] {:Point {:Value 10} :as :P}
   [:>= :AwardPoints.Amount 2000] {:Point {:Value 5} :as :P}
   {:Point {:Value 2} :as :P}]
  {:Points {:Customer :C.Email :Point :P.Id}})

(dataflow [:after :create :Purchase]
  [:match
   [:> :Instance.Amount 1000]
   {:AwardPoints {:Customer :Instance.Customer :Amount :Instance.Amount}}])

(event :FetchPoints {:Customer :Email})

(dataflow :FetchPoints
  {:Point? {:sum :Value} :-> [[{:Points {:Customer? :FetchPoints.Customer}}]]})
