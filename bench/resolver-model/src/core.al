module m
import "people.js" @as people

entity Stored { email Email @id, name String, team String @optional }
entity AtOnce { email Email @id, name String, team String @optional }
entity Later { email Email @id, name String, team String @optional }

resolver atOnce [m/AtOnce] { query people.find }
resolver later [m/Later] { query people.findLater }
