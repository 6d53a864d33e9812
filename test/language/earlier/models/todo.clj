(component :Todo.Core)

(entity :Task
  {:Id {:type :Int :guid true}
   :Title :String
   :Created :Now
   :Status {:oneof ["in-progress" "done"] :default "in-progress"}})

(entity :Note
  {:No {:type :Int :id true}
   :Content :String})

(relationship :Notes {:meta {:contains [:Task :Note]}})

(dataflow :ListPending
  {:Task {:Status? "in-progress"}})

(event :MarkDone {:Task :Int})

(dataflow :MarkDone
  {:Task {:Id? :MarkDone.Task :Status "done"}})
