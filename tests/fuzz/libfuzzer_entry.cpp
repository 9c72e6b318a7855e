// The entry point through which libFuzzer calls a target.

#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace lowtide::fuzz;
    try {
        // What a reader refuses is no use as a start for mutations unless it found a new way.
        static const Target& target = targetNamed({});
        (void)target.run(std::as_bytes(std::span(data, size)));
    } catch (const Broken& broken) {
        std::fprintf(stderr, "broken guarantee: %s\n", broken.guarantee.c_str());
        std::abort();
    }
    return 0;
}
