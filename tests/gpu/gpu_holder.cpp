// Holds bytes of the first GPU until its input ends: as many as its argument states, or with
// "but BYTES FILE" all that are free but so many, once the file is there.
#include "plugin/base/error.hpp"
#include "plugin/residency/device/cuda/cuda_library.hpp"
#include "tests/fixtures/folders.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

using namespace lowtide;

namespace {

void report(const char* word) {
    std::printf("%s\n", word);
    std::fflush(stdout);
}

void waitFor(const std::string& file) {
    while (!std::filesystem::exists(file)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace

int main(int count, char** words) {
    try {
        const residency::CudaLibrary library(testing::buildPath("lib").toStdString());
        const auto device = library.open(0);
        device->attachThread();
        Bytes bytes = count > 1 ? std::atoll(words[1]) : kGiB;
        if (count > 3) {
            report("ready");
            waitFor(words[3]);
            bytes = device->info().free - std::atoll(words[2]);
        }
        const auto held = device->allocate(bytes);
        report("held");
        while (std::getchar() != EOF) {
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpu_holder: %s\n", error.what());
        return 1;
    }
}
