#pragma once

namespace lowtide::residency {

/// Makes ATen know the device type "fake" (PrivateUse1): its name, guard, allocator and hooks; once
/// per process. c10::Error when another library has taken the type.
void registerFakeBackend();

}  // namespace lowtide::residency
