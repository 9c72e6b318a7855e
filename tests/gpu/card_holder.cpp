// Holds as many bytes of the first card as its argument says until its input ends.
#include "plugin/base/error.hpp"
#include "plugin/residency/device/cuda/cuda_library.hpp"
#include "tests/fixtures/folders.hpp"

#include <cstdio>
#include <cstdlib>

using namespace lowtide;

int main(int count, char** words) {
    try {
        const residency::CudaLibrary library(testing::buildPath("lib").toStdString());
        const auto device = library.open(0);
        device->attachThread();
        const auto held = device->allocate(count > 1 ? std::atoll(words[1]) : kGiB);
        std::printf("held %lld\n", static_cast<long long>(held->size()));
        std::fflush(stdout);
        while (std::getchar() != EOF) {
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "card_holder: %s\n", error.what());
        return 1;
    }
}
