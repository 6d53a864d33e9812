(component :Library.Core)

(entity :Library
  {:Name {:type :String :guid true}
   :Opened {:type :Date :optional true}})

(entity :Book
  {:ISBN {:type :String :guid true :format "97[89][0-9]{10}"}
   :Title :String
   :Authors {:listof :String}
   :Copies {:type :Int :default 1}})

(entity :Member
  {:Email {:type :Email :id true}
   :Id :Identity
   :Name :String
   :Joined :Now
   :rbac [{:roles ["librarian"] :allow [:create :read :update]}
          {:roles ["member"] :allow [:read] :where [:= :Email :auth.user]}]})

(relationship :Books {:meta {:contains [:Library :Book] :globally-unique true}})
(relationship :Membership {:meta {:contains [:Library :Member]}})

(relationship :Checkout
  {:meta {:between [:Member :Book]}
   :On :Now
   :Due {:type :Date :optional true}})

(event :BookCheckout
  {:Member :UUID
   :Book :String})

(dataflow :BookCheckout
  [:try {:Checkout {:Book? :BookCheckout.Book}}
    :not-found {:Checkout {:Member :BookCheckout.Member :Book :BookCheckout.Book}}])

(dataflow [:after :create :Member]
  {:Platform.Kernel.Identity/User {:Email :Instance.Email :Name :Instance.Name}}
  {:Platform.Kernel.Rbac/RoleAssignment {:Role "member" :Assignee :Instance.Email}})

(dataflow :Platform.Kernel.Lang/AppInit
  {:Platform.Kernel.Rbac/RoleAssignment {:Role "librarian" :Assignee "head@library.example"}})
