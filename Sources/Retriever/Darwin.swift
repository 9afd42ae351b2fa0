// On Apple's platforms Foundation provides all of this API, so one source file works on both. This file compiles there
// but is not tested.
#if canImport(Darwin)
@_exported import Foundation
#endif
