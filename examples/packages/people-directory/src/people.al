module people

import "directory.js" @as directory

entity Person {
  email Email @id,
  name String,
  team String @optional
}

entity Badge {
  no Int @id,
  colour String @enum("red", "green") @default("green")
}

relationship PersonBadge contains(Person, Badge)

resolver people [people/Person] {
  create directory.add,
  update directory.change,
  delete directory.remove,
  query directory.find
}
