(component :Library.Core {:clj-import '[(:require [clojure.string :as text])]})

; The last digit of an ISBN makes the weighted sum of all of them a multiple of ten.
(defn isbn? [isbn]
  (and (re-matches #"97[89][0-9]{10}" isbn)
       (zero? (mod (reduce + (map * (cycle [1 3]) (map digit isbn))) 10))))

(defn- digit [character]
  (Integer/parseInt (str character)))

(def loan-days 28)

(defn card-number []
  (str "C-" (text/upper-case (subs (platform.util/get-uuid) 24))))

(defn spine [title authors]
  (str (text/upper-case title) " - " (text/join ", " authors)))

(defn refuse-when-full [loans copies]
  (if (< (count loans) copies)
    (count loans)
    (throw (ex-info "All copies of this book are out." {:copies copies}))))

(entity :Library
  {:Name {:type :String :guid true}
   :Opened {:type :Date :optional true}})

(entity :Book
  {:ISBN {:type :String :guid true :check isbn?}
   :Title :String
   :Authors {:listof :String}
   :Copies {:type :Int :default 1 :check pos?}
   :Spine {:type :String :expr '(spine :Title :Authors)}})

(entity :Member
  {:Email {:type :Email :id true}
   :Id :Identity
   :Name :String
   :Joined :Now
   :rbac [{:roles ["librarian"] :allow [:read :update]}
          {:roles ["member"] :allow [:read] :where [:= :Email :auth.user]}]})

(entity :Card
  {:Number {:type :String :guid true :default card-number}
   :Holder :Email
   :Role {:oneof ["member" "librarian"]}})

(relationship :Books {:meta {:contains [:Library :Book] :globally-unique true}})
(relationship :Membership {:meta {:contains [:Library :Member]} :rbac {:inherit true}})

(relationship :Checkout
  {:meta {:between [:Member :Book]}
   :On :Now
   :Days {:type :Int :default (fn [] loan-days)}})

(event :BookCheckout
  {:Member :UUID
   :Book {:type :String :check isbn?}})

; Whoever has the book already gets the loan that is there.
(dataflow :BookCheckout
  [:try {:Checkout {:Member? :BookCheckout.Member :Book? :BookCheckout.Book} :as [:C]}
    :ok :C
    :not-found [{:Book {:ISBN? :BookCheckout.Book} :as [:B]}
                {:Checkout {:Book? :BookCheckout.Book} :as :Loans}
                [:eval '(refuse-when-full :Loans :B.Copies)]
                {:Checkout {:Member :BookCheckout.Member :Book :BookCheckout.Book}}]])

(dataflow [:after :create :Member :run-as :system]
  {:Card {:Holder :Instance.Email :Role "member"}})

; At every start: what is there already is left alone.
(dataflow :Platform.Kernel.Lang/AppInit
  [:try {:Library {:Name? "Central"}} :not-found {:Library {:Name "Central" :Opened "1901-05-01"}}]
  [:try {:Card {:Holder? "head@library.example"}}
    :not-found {:Card {:Number "C-HEAD" :Holder "head@library.example" :Role "librarian"}}])
