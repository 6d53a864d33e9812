(component :MyCompany)

(entity :Customer
  {:Email {:type :Email :guid true}
   :Name :String
   :Created :Now
   :Type {:oneof ["standard" "premium"] :default "standard" :indexed true}})
