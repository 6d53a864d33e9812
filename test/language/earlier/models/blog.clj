(component :Blog.Core)

(entity :User
  {:Email {:type :Email :guid true}
   :FirstName :String
   :LastName :String
   :MemberSince :Now})

(entity :BlogPost
  {:Id :Identity
   :Name {:type :String :id true}
   :Title :String
   :Content :String
   :PostedOn :Now})

(relationship :PostsBy {:meta {:contains [:User :BlogPost]}})
