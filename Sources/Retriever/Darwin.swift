// On Apple's platforms Foundation has all of this: one source file serves both. Kept compiling; not tested here.
#if canImport(Darwin)
  @_exported import Foundation
#endif
