// Calls functions with large values on a coroutine stack of so many bytes; says how many bytes below it were written to.
#include <ucontext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <map>
struct Item { int id; std::string name; std::vector<int> list; Item* next; std::map<int,std::string> m; };
__attribute__((noinline)) long touch(Item& i, const std::string& s, const std::vector<Item>& all){ return i.id + (long)s.size() + (long)all.size(); }
__attribute__((noinline)) long plain(int a,int b){ return a*b+1; }
static ucontext_t mainc, co; static long sum; static Item item; static std::vector<Item> all(20);
static void body(){ for(int i=0;i<100;i++){ item.id=i; sum+=touch(item,item.name,all); sum+=plain(i,2); } swapcontext(&co,&mainc); }
int main(int c,char**v){ size_t size=c>1?atoi(v[1]):4096; size_t guard=65536;
 item.name="some name that is longer than sso buffers"; item.list={1,2,3}; item.next=&item; for(int i=0;i<30;i++) item.m[i]="value of the map number";
 char*mem=(char*)malloc(guard+size); memset(mem,0xa5,guard+size);
 getcontext(&co); co.uc_stack.ss_sp=mem+guard; co.uc_stack.ss_size=size; co.uc_link=&mainc; makecontext(&co,body,0); swapcontext(&mainc,&co);
 size_t over=0; for(size_t i=0;i<guard;i++) if((unsigned char)mem[guard-1-i]!=0xa5) over=i+1; size_t used=0; for(size_t i=0;i<size;i++) if((unsigned char)mem[guard+i]!=0xa5){ used=size-i; break; }
 printf("sum %ld overflowed by %zu bytes\n",sum,over); if(c>2) fprintf(stderr,"used %zu of %zu\n",used,size); return over!=0; }
