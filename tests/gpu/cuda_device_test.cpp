// The contract of Device on a real card: bytes, orders, limits, own kernels beside ATen's.
#include "plugin/base/error.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/tensor/crossing.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/card.hpp"
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

/// A card that is lent its staging.
struct Card {
    explicit Card(const residency::CudaSettings& settings = {})
        : device(testing::cards()->open(0, settings)),
          staging(device->allocateStaging(device->traits().staging)) {
        device->attachThread();
        device->extras().lendStaging({staging->data(), static_cast<size_t>(staging->size())});
    }

    ~Card() {
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

    void initTestCase() { LOWTIDE_NEEDS_CARD(); }

    void describesItself() {
        Card card;
        const memory::DeviceInfo info = card.device->info();
        QCOMPARE(info.id, "cuda:0");
        QVERIFY(info.free > 0 && info.free <= info.capacity);
    }

    /// Products with and without a bias, of a batch: cuBLAS and cuBLASLt.
    void productsKeepTheWorkspaceThatPlansCount() {
        const Card card;
        for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
            const auto options = at::TensorOptions(type).device(card.device->torchDevice());
            const at::Tensor x = at::ones({512, 512}, options);
            card.device->extras().dropWorkspaces();
            const Bytes before = card.device->allocated();
            static_cast<void>(at::linear(x, x));
            static_cast<void>(at::linear(x, x, x[0]));
            static_cast<void>(at::bmm(x.view({2, 256, 512}), x.view({2, 512, 256})));
            card.device->finishCompute();
            QCOMPARE(card.device->allocated() - before, card.device->traits().workspace);
            card.device->extras().dropWorkspaces();
            QCOMPARE(card.device->allocated(), before);
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
        Card card;
        const std::vector<std::byte> source = patterns(bytes);
        const auto arena = card.device->allocate(bytes);
        QCOMPARE(reinterpret_cast<uintptr_t>(arena->data()) % 512, 0u);
        card.device->copyIn(arena->data(), bytes, sourceOf(source), "test");
        QVERIFY(card.read(*arena, bytes) == source);
    }

    void pinnedBytesAreCopiedFromWhereTheyLie() {
        Card card;
        const auto pinned = card.device->allocateStaging(kMost);
        const std::vector<std::byte> source = patterns(kMost);
        const auto arena = card.device->allocate(kMost);
        card.device->copyInStaged(
            {.target = arena->data(), .bytes = kMost},
            pinned->data(),
            [&] {
                std::memcpy(pinned->data(), source.data(), source.size());
                return true;
            },
            "test");
        QVERIFY(card.read(*arena, kMost) == source);
    }

    void widenedNumbersHaveTheBitsOfTheHost_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        const auto row = [](const char* name, DType from, DType to) {
            QTest::newRow(name) << int(from) << int(to);
        };
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
        QFETCH(int, from);
        QFETCH(int, to);
        const residency::TypeChange change{static_cast<DType>(from), static_cast<DType>(to)};
        Card card;
        if (!card.device->extras().widens(change)) {
            qInfo("built without own kernels: the host converts");
            return;
        }
        const Bytes narrow = 20 * kMiB;  // some pieces of the staging
        const int64_t count = narrow / sizeOf(change.from);
        const std::vector<std::byte> source = patterns(narrow);
        std::vector<std::byte> expected(static_cast<size_t>(count * sizeOf(change.to)));
        residency::convertElements(expected.data(), change.to, source.data(), change.from, count);
        const auto bytes = static_cast<Bytes>(expected.size());
        const auto arena = card.device->allocate(bytes);
        card.device->extras().copyInWidened(
            {.target = arena->data(), .bytes = narrow, .widened = change},
            sourceOf(source),
            "test");
        const std::vector<std::byte> arrived = card.read(*arena, bytes);
        const auto type = change.to == DType::F32   ? at::kFloat
                          : change.to == DType::F16 ? at::kHalf
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
        Card card;
        const auto asked = static_cast<DType>(type);
        const at::ScalarType compute = residency::scalarTypeOf(asked);
        const at::Tensor values = at::randn({37, 5, 11}).to(at::kFloat8_e4m3fn);
        const at::Tensor scales = at::exp2(at::randint(-12, 6, {37}, at::kFloat));
        const c10::Device place = card.device->torchDevice();
        const at::Tensor ours =
            residency::dequantised(*card.device, values.to(place), scales.to(place), asked);
        const at::Tensor theirs = values.to(compute).mul_(scales.view({37, 1, 1}).to(compute));
        QVERIFY(at::equal(ours.cpu(), theirs));
    }

    void aRecordIsDoneWhenItIsPlayed() {
        Card card;
        const c10::Device place = card.device->torchDevice();
        const at::Tensor x = at::full({1000}, 3.0, at::TensorOptions(at::kFloat).device(place));
        at::Tensor y;
        static_cast<void>((x * x).sum().item());  // libraries are warm
        const auto record = card.device->extras().record([&] { y = x * x + 1; });
        for (const double value : {2.0, 5.0}) {
            x.fill_(value);
            record->replay();
            card.device->finishCompute();
            QCOMPARE(y.cpu()[7].item<double>(), value * value + 1);
        }
    }

    void workThatCannotBeRecordedIsTold() {
        Card card;
        const at::Tensor x =
            at::ones({1000}, at::TensorOptions(at::kFloat).device(card.device->torchDevice()));
        QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(card.device->extras().record([&] {
                                     static_cast<void>(x.sum().item<double>());
                                 })));
        QCOMPARE(x.sum().item<double>(), 1000.0);
        // The allocator goes on as before.
        card.device->extras().returnCached();
        const Bytes kept = card.device->allocatorState().cached;
        static_cast<void>(at::empty({100 * kMiB}, x.options().dtype(at::kByte)));
        card.device->extras().returnCached();
        QCOMPARE(card.device->allocatorState().cached, kept);
        const auto record = card.device->extras().record([&] { x.add_(1); });
        record->replay();
        QCOMPARE(x.sum().item<double>(), 2000.0);
    }

    void levelsHaveTheBytesOfTheHost() {
        const Card card;
        at::Tensor pixels = at::rand({2, 3, 65, 33}) * 1.2 - 0.1;
        pixels.view(-1)[0] = 0.5F / 255;  // a tie: to even
        pixels.view(-1)[1] = 1.5F / 255;
        const at::Tensor host = tensor::image8Tensor(pixels);
        QVERIFY(at::equal(tensor::image8Tensor(pixels.to(card.device->torchDevice())), host));
    }

    void computeWaitsForWhatItReads() {
        Card card({.copyDelay = 0.05});
        const Bytes bytes = 1000 * Bytes{sizeof(float)};
        std::vector<float> ones(1000, 1);
        const auto arena = card.device->allocate(bytes);
        const at::Tensor view = card.device->view(arena->data(), {1000}, at::kFloat);
        view.zero_();
        card.device->copyWaits(card.device->markCompute());
        card.device->copyIn(
            arena->data(),
            bytes,
            [&](std::byte* target, Bytes offset, Bytes count) {
                std::memcpy(target,
                            reinterpret_cast<const std::byte*>(ones.data()) + offset,
                            static_cast<size_t>(count));
                return true;
            },
            "test");
        card.device->computeWaits(card.device->markCopy());
        const at::Tensor sum = view.sum();
        QCOMPARE(sum.item<float>(), 1000.0F);
    }

    void copiesWaitForTheLastUse() {
        Card card({.spoils = true});
        const Bytes bytes = 64 * kMiB;
        const int64_t count = bytes / 4;
        const auto arena = card.device->allocate(bytes);
        const at::Tensor view = card.device->view(arena->data(), {count}, at::kFloat);
        view.fill_(1);
        at::Tensor sum = at::zeros({}, view.options());
        for (int i = 0; i < 100; ++i) {
            sum += view.sum();  // some time of work
        }
        card.device->copyWaits(card.device->markCompute());
        card.device->extras().discard(arena->data(), bytes, "test");
        card.device->drain();
        QCOMPARE(sum.item<float>(), 100.0F * static_cast<float>(count));
        QVERIFY(view.isnan().all().item<bool>());
    }

    void aFailureComesToWhoeverWaits() {
        Card card;
        const auto arena = card.device->allocate(1000);
        card.device->copyIn(
            arena->data(),
            1000,
            [](std::byte*, Bytes, Bytes) -> bool {
                throw Error(ErrorKind::Corrupt, Message("ends early"));
            },
            "test");
        QVERIFY_EXCEPTION_THROWN(card.device->computeWaits(card.device->markCopy()), Error);
    }

    void everyByteIsCountedAndGivenBack() {
        Card card;
        card.device->extras().returnCached();
        const Bytes before = card.device->allocated();
        card.device->resetPeak();
        {
            const auto arena = card.device->allocate(100 * kMiB);
            const at::Tensor tensor = at::empty({kMiB}, at::device(card.device->torchDevice()));
            QVERIFY(card.device->allocated() - before >= 104 * kMiB);
        }
        QCOMPARE(card.device->allocated(), before);
        QVERIFY(card.device->peakAllocated() - before >= 104 * kMiB);
        QVERIFY(card.device->allocatorState().cached >= 100 * kMiB);
        card.device->extras().returnCached();
        QVERIFY(card.device->allocatorState().cached < 8 * kMiB);
    }

    void nothingIsAllocatedBeyondTheCap() {
        Card card;
        card.device->extras().returnCached();
        card.device->cap(card.device->allocated() + 64 * kMiB);
        const int64_t failures = card.device->allocatorState().outOfMemory;
        try {
            static_cast<void>(card.device->allocate(256 * kMiB));
            QFAIL("it was allocated");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
        }
        QVERIFY_EXCEPTION_THROWN(
            static_cast<void>(at::empty({64 * kMiB}, at::device(card.device->torchDevice()))),
            c10::OutOfMemoryError);
        QCOMPARE(card.device->allocatorState().outOfMemory, failures + 2);
        card.device->cap(-1);
        static_cast<void>(card.device->allocate(256 * kMiB));
    }

    void pinnedMemoryThatCannotBeHadIsSaid() {
        Card card;
        try {
            static_cast<void>(card.device->allocateStaging(Bytes{1} << 50));
            QFAIL("it was allocated");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
        }
        const auto arena = card.device->allocate(1000);  // the card is as it was
        const std::vector<std::byte> source = patterns(1000);
        card.device->copyIn(arena->data(), 1000, sourceOf(source), "test");
        QVERIFY(card.read(*arena, 1000) == source);
    }
};

LOWTIDE_TEST(CudaDeviceTest)

}  // namespace cuda_device_test

#include "cuda_device_test.moc"
