(component :Acme)

(entity :Department
  {:No {:type :Int :guid true}
   :Name :String})

(entity :Employee
  {:Email {:type :Email :id true}
   :Name :String})

(relationship :WorksFor {:meta {:contains [:Department :Employee]}})

; One request makes a department with its employees.
(attribute :Employees {:type :Employee :extend :Department :relationship :WorksFor :order 0})
