(component :School.Core)

; A type of attributes that pupils and staff share.
(attribute :Gender {:oneof ["female" "male" "other"] :optional true})

(record :Address
  {:Street :String
   :City :String
   :Postcode {:type :String :format "[0-9]{4,6}"}})

(entity :School
  {:Name {:type :String :guid true}
   :Founded {:type :Date :optional true}
   :Site :Address})

(entity :ContactInfo
  {:Id :Identity
   :Phone {:type :String :format "\\+?[0-9 ]{5,20}"}
   :Mail {:type :Email :optional true}})

(entity :ParentInfo
  {:Id :Identity
   :FirstName :String
   :LastName :String})

(entity :Student
  {:Number {:type :Int :id true}
   :Id :Identity
   :FirstName :String
   :LastName :String
   :Gender :Gender
   :Born :Date
   :Joined :Now})

(entity :Teacher
  {:Number {:type :Int :id true}
   :Id :Identity
   :Name :String
   :Gender {:type :Gender :default "other"}
   :Salary {:type :Decimal :default 2500.00M}})

(entity :Subject
  {:Code {:type :String :guid true}
   :Title :String
   :Topics {:listof :String}})

(entity :Class
  {:Id :Identity
   :Name :String
   :Grade :Int
   :Homeroom {:ref :Subject.Code :optional true}
   :meta {:unique [:Name :Grade] :doc "A group of students of one grade"}})

(relationship :Students {:meta {:contains [:School :Student]}})
(relationship :Teachers {:meta {:contains [:School :Teacher :cascade-on-delete false]}})

(relationship :ParentOf
  {:meta {:between [:ParentInfo :Student]}
   :Since {:type :Date :optional true}})

(relationship :ParentContact {:meta {:between [:ParentInfo :ContactInfo] :one-one true}})
(relationship :StudentContact {:meta {:between [:Student :ContactInfo] :one-one true}})
(relationship :Attends {:meta {:between [:Student :Class] :one-many true} :Year :Int})

(relationship :Teaches
  {:meta {:between [:Teacher :Subject]}
   :Hours {:type :Int :default 2}
   :In {:ref :Class.Id :optional true}})

(relationship :Mentors {:meta {:between [:Teacher :Teacher :as [:Mentor :Novice]]}})

; One request makes a subject with the teachers it is taught by.
(attribute :TaughtBy {:type :Teaches :extend :Subject :relationship :Teaches})
