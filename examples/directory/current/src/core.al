module ext.core

import "directory.js" @as directory

entity ExternalUser {
  email Email @id,
  name String
}

record ExternalResult {
  y Int
}

event ExternalEvent {
  x Int
}

event TriggerExternalEvent {
  Z Int
}

workflow TriggerExternalEvent {
  {ExternalEvent {x TriggerExternalEvent.Z}}
}

resolver Directory [ext.core/ExternalUser, ext.core/ExternalEvent] {
  create directory.create,
  update directory.create,
  delete directory.remove,
  query directory.query,
  eval directory.multiply
}
