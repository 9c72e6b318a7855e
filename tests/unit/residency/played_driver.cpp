// A library with the functions of NVIDIA's driver that answers as LOWTIDE_PLAYED_DRIVER states:
// "cards" (two of them), "old", "none", "silent" (it does not start), "broken" (its GPUs cannot be
// described).
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#define PLAYED extern "C" __attribute__((visibility("default"))) int

namespace {

constexpr int kNoDevice = 100;
constexpr int kUnknown = 999;

bool plays(const char* part) {
    const char* asked = std::getenv("LOWTIDE_PLAYED_DRIVER");
    return asked && std::string(asked) == part;
}

}  // namespace

PLAYED cuInit(unsigned) {
    return plays("none") ? kNoDevice : plays("silent") ? kUnknown : 0;
}

PLAYED cuDriverGetVersion(int* version) {
    *version = plays("old") ? 12040 : 13000;
    return 0;
}

PLAYED cuDeviceGetCount(int* count) {
    *count = 2;
    return 0;
}

PLAYED cuDeviceGet(int* device, int index) {
    *device = index;
    return plays("broken") ? kUnknown : 0;
}

PLAYED cuDeviceGetName(char* name, int length, int device) {
    std::strncpy(name, device == 0 ? "Played card" : "Old card", static_cast<size_t>(length));
    return 0;
}

PLAYED cuDeviceTotalMem_v2(size_t* bytes, int) {
    *bytes = size_t{24} << 30;
    return 0;
}

PLAYED cuDeviceGetAttribute(int* value, int attribute, int device) {
    constexpr int kMajor = 75;
    *value = attribute == kMajor ? (device == 0 ? 8 : 6) : (device == 0 ? 9 : 1);
    return 0;
}

PLAYED cuGetErrorString(int code, const char** text) {
    *text = "unknown error of the played driver";
    return code == kUnknown ? 0 : 1;
}
