// The contract of Device on a real GPU: bytes, orders, limits, own kernels compared with ATen's.
#include "plugin/base/error.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"
#include "tests/unit/residency/byte_source.hpp"

#include <ATen/ATen.h>

#include <cstring>

namespace cuda_device_test {

using namespace lowtide;
using residency::Device;
using testing::sourceOf;

namespace {

constexpr Bytes kMost = 48 * kMiB;

/// Every bit pattern, over and over.
std::vector<std::byte> patterns(Bytes count) {
    std::vector<std::byte> bytes(static_cast<size_t>(count));
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const auto value = static_cast<uint16_t>(i / 2);
        std::memcpy(bytes.data() + i, &value, 2);
    }
    return bytes;
}

/// A GPU that is lent its staging.
struct Gpu {
    explicit Gpu(const residency::CudaSettings& settings = {})
        : device(testing::gpus()->open(0, settings)),
          staging(device->allocateStaging(device->traits().staging)) {
        device->attachThread();
        device->extras().lendStaging({staging->data(), static_cast<size_t>(staging->size())});
    }

    ~Gpu() {
        device->drain();
        device->extras().lendStaging({});
        device->cap(-1);
    }

    [[nodiscard]] std::vector<std::byte> read(const residency::Arena& arena, Bytes bytes) const {
        device->computeWaits(device->markCopy());
        const at::Tensor there = device->view(arena.data(), {bytes}, at::kByte).cpu();
        const auto* begin = static_cast<const std::byte*>(there.const_data_ptr());
        return {begin, begin + bytes};
    }

    std::unique_ptr<Device> device;
    std::unique_ptr<residency::Arena> staging;
};

}  // namespace

class CudaDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { LOWTIDE_NEEDS_GPU(); }

    void describesItself() {
        Gpu gpu;
        const memory::DeviceInfo info = gpu.device->info();
        QCOMPARE(info.id, "cuda:0");
        QVERIFY(info.free > 0 && info.free <= info.capacity);
    }

    /// Products with and without a bias, of a batch: cuBLAS and cuBLASLt.
    void productsKeepTheWorkspaceThatPlansCount() {
        const Gpu gpu;
        for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
            const auto options = at::TensorOptions(type).device(gpu.device->torchDevice());
            const at::Tensor x = at::ones({512, 512}, options);
            gpu.device->extras().dropWorkspaces();
            const Bytes before = gpu.device->allocated();
            static_cast<void>(at::linear(x, x));
            static_cast<void>(at::linear(x, x, x[0]));
            static_cast<void>(at::bmm(x.view({2, 256, 512}), x.view({2, 512, 256})));
            gpu.device->finishCompute();
            QCOMPARE(gpu.device->allocated() - before, gpu.device->traits().workspace);
            gpu.device->extras().dropWorkspaces();
            QCOMPARE(gpu.device->allocated(), before);
        }
    }

    void bytesArriveAndComeBack_data() {
        QTest::addColumn<qint64>("bytes");
        for (const Bytes bytes : {Bytes{1}, Bytes{1000}, 16 * kMiB + 3, 300 * kMiB}) {
            QTest::addRow("%lld", static_cast<long long>(bytes)) << static_cast<qint64>(bytes);
        }
    }

    void bytesArriveAndComeBack() {
        QFETCH(qint64, bytes);
        Gpu gpu;
        const std::vector<std::byte> source = patterns(bytes);
        const auto arena = gpu.device->allocate(bytes);
        QCOMPARE(reinterpret_cast<uintptr_t>(arena->data()) % 512, 0u);
        gpu.device->copyIn(arena->data(), bytes, sourceOf(source), "test");
        QVERIFY(gpu.read(*arena, bytes) == source);
    }

    void pinnedBytesAreCopiedFromWhereTheyLie() {
        Gpu gpu;
        const auto pinned = gpu.device->allocateStaging(kMost);
        const std::vector<std::byte> source = patterns(kMost);
        const auto arena = gpu.device->allocate(kMost);
        gpu.device->copyInStaged(
            {.target = arena->data(), .bytes = kMost},
            pinned->data(),
            [&] {
                std::memcpy(pinned->data(), source.data(), source.size());
                return true;
            },
            "test");
        QVERIFY(gpu.read(*arena, kMost) == source);
    }

    void widenedNumbersHaveTheBitsOfTheHost_data() {
        const testing::Rows<DType, DType> row("from", "to");
        row("f16 to f32", DType::F16, DType::F32);
        row("bf16 to f32", DType::BF16, DType::F32);
        row("e4m3 to f32", DType::F8E4M3, DType::F32);
        row("e4m3 to f16", DType::F8E4M3, DType::F16);
        row("e4m3 to bf16", DType::F8E4M3, DType::BF16);
        row("e5m2 to f32", DType::F8E5M2, DType::F32);
        row("e5m2 to f16", DType::F8E5M2, DType::F16);
        row("e5m2 to bf16", DType::F8E5M2, DType::BF16);
    }

    void widenedNumbersHaveTheBitsOfTheHost() {
        QFETCH(DType, from);
        QFETCH(DType, to);
        const residency::TypeChange conversion{from, to};
        Gpu gpu;
        if (!gpu.device->extras().widens(conversion)) {
            qInfo("built without own kernels: the host converts");
            return;
        }
        const Bytes narrow = 20 * kMiB;  // some pieces of the staging
        const int64_t count = narrow / sizeOf(conversion.from);
        const std::vector<std::byte> source = patterns(narrow);
        std::vector<std::byte> expected(static_cast<size_t>(count * sizeOf(conversion.to)));
        residency::convertElements(
            expected.data(), conversion.to, source.data(), conversion.from, count);
        const auto bytes = static_cast<Bytes>(expected.size());
        const auto arena = gpu.device->allocate(bytes);
        gpu.device->extras().copyInWidened(
            {.target = arena->data(), .bytes = narrow, .widened = conversion},
            sourceOf(source),
            "test");
        const std::vector<std::byte> arrived = gpu.read(*arena, bytes);
        const auto type = conversion.to == DType::F32   ? at::kFloat
                          : conversion.to == DType::F16 ? at::kHalf
                                                        : at::kBFloat16;
        const at::Tensor ours =
            at::from_blob(const_cast<std::byte*>(arrived.data()), {count}, type);
        const at::Tensor theirs = at::from_blob(expected.data(), {count}, type);
        QVERIFY(at::equal(ours.nan_to_num(7), theirs.nan_to_num(7)));
        QVERIFY(at::equal(ours.isnan(), theirs.isnan()));  // a payload may differ
    }

    void dequantisedWeightsHaveTheBitsOfAten_data() {
        QTest::addColumn<int>("type");
        QTest::newRow("f32") << int(DType::F32);
        QTest::newRow("f16") << int(DType::F16);
        QTest::newRow("bf16") << int(DType::BF16);
    }

    void dequantisedWeightsHaveTheBitsOfAten() {
        QFETCH(int, type);
        Gpu gpu;
        const auto asked = static_cast<DType>(type);
        const at::ScalarType compute = residency::scalarTypeOf(asked);
        const at::Tensor values = at::randn({37, 5, 11}).to(at::kFloat8_e4m3fn);
        const at::Tensor scales = at::exp2(at::randint(-12, 6, {37}, at::kFloat));
        const c10::Device computeDevice = gpu.device->torchDevice();
        const at::Tensor ours = residency::dequantised(
            *gpu.device, values.to(computeDevice), scales.to(computeDevice), asked);
        const at::Tensor theirs = values.to(compute).mul_(scales.view({37, 1, 1}).to(compute));
        QVERIFY(at::equal(ours.cpu(), theirs));
    }

    void aRecordIsDoneWhenItIsPlayed() {
        Gpu gpu;
        const c10::Device computeDevice = gpu.device->torchDevice();
        const at::Tensor x =
            at::full({1000}, 3.0, at::TensorOptions(at::kFloat).device(computeDevice));
        at::Tensor y;
        static_cast<void>((x * x).sum().item());  // libraries are warm
        const auto record = gpu.device->extras().record([&] { y = x * x + 1; });
        for (const double value : {2.0, 5.0}) {
            x.fill_(value);
            record->replay();
            gpu.device->finishCompute();
            QCOMPARE(y.cpu()[7].item<double>(), value * value + 1);
        }
    }

    void workThatCannotBeRecordedIsReported() {
        Gpu gpu;
        const at::Tensor x =
            at::ones({1000}, at::TensorOptions(at::kFloat).device(gpu.device->torchDevice()));
        QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(gpu.device->extras().record([&] {
                                     static_cast<void>(x.sum().item<double>());
                                 })));
        QCOMPARE(x.sum().item<double>(), 1000.0);
        // The allocator goes on as before.
        gpu.device->extras().returnCached();
        const Bytes kept = gpu.device->allocatorState().cached;
        static_cast<void>(at::empty({100 * kMiB}, x.options().dtype(at::kByte)));
        gpu.device->extras().returnCached();
        QCOMPARE(gpu.device->allocatorState().cached, kept);
        const auto record = gpu.device->extras().record([&] { x.add_(1); });
        record->replay();
        QCOMPARE(x.sum().item<double>(), 2000.0);
    }

    void levelsHaveTheBytesOfTheHost() {
        const Gpu gpu;
        at::Tensor pixels = at::rand({2, 3, 65, 33}) * 1.2 - 0.1;
        pixels.view(-1)[0] = 0.5F / 255;  // a tie: to even
        pixels.view(-1)[1] = 1.5F / 255;
        const at::Tensor host = tensor::image8Tensor(pixels);
        QVERIFY(at::equal(tensor::image8Tensor(pixels.to(gpu.device->torchDevice())), host));
    }

    void computeWaitsForWhatItReads() {
        Gpu gpu({.copyDelay = 0.05});
        const Bytes bytes = 1000 * Bytes{sizeof(float)};
        std::vector<float> ones(1000, 1);
        const auto arena = gpu.device->allocate(bytes);
        const at::Tensor view = gpu.device->view(arena->data(), {1000}, at::kFloat);
        view.zero_();
        gpu.device->copyWaits(gpu.device->markCompute());
        gpu.device->copyIn(
            arena->data(),
            bytes,
            [&](std::byte* target, Bytes offset, Bytes count) {
                std::memcpy(target,
                            reinterpret_cast<const std::byte*>(ones.data()) + offset,
                            static_cast<size_t>(count));
                return true;
            },
            "test");
        gpu.device->computeWaits(gpu.device->markCopy());
        const at::Tensor sum = view.sum();
        QCOMPARE(sum.item<float>(), 1000.0F);
    }

    void copiesWaitForTheLastUse() {
        Gpu gpu({.spoils = true});
        const Bytes bytes = 64 * kMiB;
        const int64_t count = bytes / 4;
        const auto arena = gpu.device->allocate(bytes);
        const at::Tensor view = gpu.device->view(arena->data(), {count}, at::kFloat);
        view.fill_(1);
        at::Tensor sum = at::zeros({}, view.options());
        for (int i = 0; i < 100; ++i) {
            sum += view.sum();  // some time of work
        }
        gpu.device->copyWaits(gpu.device->markCompute());
        gpu.device->extras().discard(arena->data(), bytes, "test");
        gpu.device->drain();
        QCOMPARE(sum.item<float>(), 100.0F * static_cast<float>(count));
        QVERIFY(view.isnan().all().item<bool>());
    }

    void aFailureComesToWhoeverWaits() {
        Gpu gpu;
        const auto arena = gpu.device->allocate(1000);
        gpu.device->copyIn(
            arena->data(),
            1000,
            [](std::byte*, Bytes, Bytes) -> bool {
                throw Error(ErrorKind::Corrupt, Message("ends early"));
            },
            "test");
        QVERIFY_EXCEPTION_THROWN(gpu.device->computeWaits(gpu.device->markCopy()), Error);
    }

    void everyByteIsCountedAndGivenBack() {
        Gpu gpu;
        gpu.device->extras().returnCached();
        const Bytes before = gpu.device->allocated();
        gpu.device->resetPeak();
        {
            const auto arena = gpu.device->allocate(100 * kMiB);
            const at::Tensor tensor = at::empty({kMiB}, at::device(gpu.device->torchDevice()));
            QVERIFY(gpu.device->allocated() - before >= 104 * kMiB);
        }
        QCOMPARE(gpu.device->allocated(), before);
        QVERIFY(gpu.device->peakAllocated() - before >= 104 * kMiB);
        QVERIFY(gpu.device->allocatorState().cached >= 100 * kMiB);
        gpu.device->extras().returnCached();
        QVERIFY(gpu.device->allocatorState().cached < 8 * kMiB);
    }

    void nothingIsAllocatedBeyondTheCap() {
        Gpu gpu;
        gpu.device->extras().returnCached();
        gpu.device->cap(gpu.device->allocated() + 64 * kMiB);
        const int64_t failures = gpu.device->allocatorState().outOfMemory;
        try {
            static_cast<void>(gpu.device->allocate(256 * kMiB));
            QFAIL("it was allocated");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
        }
        QVERIFY_EXCEPTION_THROWN(
            static_cast<void>(at::empty({64 * kMiB}, at::device(gpu.device->torchDevice()))),
            c10::OutOfMemoryError);
        QCOMPARE(gpu.device->allocatorState().outOfMemory, failures + 2);
        gpu.device->cap(-1);
        static_cast<void>(gpu.device->allocate(256 * kMiB));
    }

    void pinnedMemoryThatCannotBeHadIsReported() {
        Gpu gpu;
        try {
            static_cast<void>(gpu.device->allocateStaging(Bytes{1} << 50));
            QFAIL("it was allocated");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
        }
        const auto arena = gpu.device->allocate(1000);  // the GPU is as it was
        const std::vector<std::byte> source = patterns(1000);
        gpu.device->copyIn(arena->data(), 1000, sourceOf(source), "test");
        QVERIFY(gpu.read(*arena, 1000) == source);
    }
};

LOWTIDE_TEST(CudaDeviceTest)

}  // namespace cuda_device_test

#include "cuda_device_test.moc"
