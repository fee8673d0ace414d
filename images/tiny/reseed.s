# reseed: gives the kernel's random generator the host's own random bytes, at once. Exits with 0 when that is done.
#
# A clone of a warm template wakes with the generator of the template, like every other clone. /dev/hwrng leads to the
# host, but the first bytes of it were fetched ahead, by driver and kernel, and lie in the memory of all clones
# alike. So many more are read, and the first ones count for nothing.

	.intel_syntax noprefix
	.set BYTES, 512
	.set FETCHED_AHEAD, 128
	.set READ, 0
	.set OPEN, 2
	.set IOCTL, 16
	.set EXIT, 60
	.set O_RDONLY, 0
	.set O_WRONLY, 1
	.set RNDADDENTROPY, 0x40085203
	.set RNDRESEEDCRNG, 0x5207

	.data
hwrng:	.asciz "/dev/hwrng"
random:	.asciz "/dev/random"
	.balign 8
# struct rand_pool_info
pool:	.long (BYTES - FETCHED_AHEAD) * 8
	.long BYTES
bytes:	.skip BYTES

	.text
	.globl _start
_start:
	mov	eax, OPEN
	lea	rdi, [rip + hwrng]
	mov	esi, O_RDONLY
	syscall
	test	eax, eax
	js	failed
	mov	r12d, eax
	xor	ebx, ebx
more:
	mov	eax, READ
	mov	edi, r12d
	lea	rsi, [rip + bytes]
	add	rsi, rbx
	mov	edx, BYTES
	sub	edx, ebx
	syscall
	test	rax, rax
	jle	failed
	add	ebx, eax
	cmp	ebx, BYTES
	jb	more

	mov	eax, OPEN
	lea	rdi, [rip + random]
	mov	esi, O_WRONLY
	syscall
	test	eax, eax
	js	failed
	mov	r12d, eax
	mov	edi, r12d
	mov	esi, RNDADDENTROPY
	lea	rdx, [rip + pool]
	mov	eax, IOCTL
	syscall
	test	eax, eax
	jnz	failed
	mov	edi, r12d
	mov	esi, RNDRESEEDCRNG
	xor	edx, edx
	mov	eax, IOCTL
	syscall
	test	eax, eax
	jnz	failed
	xor	edi, edi
	jmp	end
failed:
	mov	edi, 1
end:
	mov	eax, EXIT
	syscall
